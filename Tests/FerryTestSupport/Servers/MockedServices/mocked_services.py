"""A message bus of its own with services that tell what they are told to, by python-dbusmock.

Reads commands from its standard input, a line each, and prints "done" and the command when it is carried out.
Each service is a process, so that it can be stopped, and made to hang, alone.

start SERVICE | stop SERVICE | hang SERVICE | resume SERVICE
set SERVICE NAME TYPE VALUE         changes a value, and has the service report it
tell SERVICE NAME TYPE VALUE        the same for a service that hangs: its answer is not waited for
alternate COUNT SERVICE NAME TYPE VALUE VALUE    sets one value and the other in turn
stop-bus | start-bus
"""

import ctypes
import os
import signal
import subprocess
import sys

import dbus
import dbus.mainloop.glib
import dbusmock.mockobject
from gi.repository import GLib

NETWORK = "org.freedesktop.NetworkManager"
UPOWER = "org.freedesktop.UPower"
PROFILES = "org.freedesktop.UPower.PowerProfiles"
FORMER_PROFILES = "net.hadess.PowerProfiles"
PORTAL = "org.freedesktop.portal.Desktop"
NETWORK_PORTAL = "org.freedesktop.portal.NetworkMonitor"
POWER_PORTAL = "org.freedesktop.portal.PowerProfileMonitor"

# The name on the bus, the path and the interface of the values, and the template there is for it.
SERVICES = {
    "networkManager": (NETWORK, "/org/freedesktop/NetworkManager", NETWORK, "networkmanager"),
    "upower": (UPOWER, "/org/freedesktop/UPower", UPOWER, "upower"),
    "powerProfiles": (PROFILES, "/org/freedesktop/UPower/PowerProfiles", PROFILES, None),
    "formerPowerProfiles": (
        FORMER_PROFILES,
        "/net/hadess/PowerProfiles",
        FORMER_PROFILES,
        "power_profiles_daemon",
    ),
    "portal": (PORTAL, "/org/freedesktop/portal/desktop", POWER_PORTAL, None),
}
TYPES = {
    "u": lambda text: dbus.UInt32(int(text)),
    "i": lambda text: dbus.Int32(int(text)),
    "b": lambda text: dbus.Boolean(text == "true"),
    "s": dbus.String,
}


def serve(service, address, ready):
    """What a service's process does: it ends with the bus."""
    name, path, interface, template = SERVICES[service]
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    bus = dbus.bus.BusConnection(address)
    loop = GLib.MainLoop()
    bus.call_on_disconnection(lambda _: loop.quit())
    module = template and dbusmock.mockobject.load_module(template)
    main = (module.MAIN_OBJ, module.MAIN_IFACE if hasattr(module, "MAIN_IFACE") else "") if module else (path, interface)
    # The name is requested last, when everything is there.
    dormant = dbus.service.BusName(f"ferry.test.{service}", bus)
    manager = bool(module) and getattr(module, "IS_OBJECT_MANAGER", False)
    iface = main[1] or dbusmock.mockobject.OBJECT_MANAGER_IFACE
    root = dbusmock.mockobject.DBusMockObject(dormant, main[0], iface, {}, os.devnull, manager)
    dbusmock.mockobject.objects[main[0]] = root
    if template:
        root.AddTemplate(template, dbus.Dictionary({}, signature="sv"))
    mock = dbusmock.mockobject.objects[path]
    if service == "networkManager":
        mock.AddProperties(
            interface,
            {"Metered": dbus.UInt32(4), "PrimaryConnectionType": "802-11-wireless"},
        )
    elif service == "powerProfiles":
        mock.AddProperties(interface, {"ActiveProfile": "balanced"})
    elif service == "portal":
        mock.AddProperties(interface, {"power-saver-enabled": False})
        mock.AddProperties(NETWORK_PORTAL, {"metered": False})
        answer = f"ret = self.props['{NETWORK_PORTAL}']['metered']"
        mock.AddMethod(NETWORK_PORTAL, "GetMetered", "", "b", answer)
    kept = dbus.service.BusName(name, bus, do_not_queue=True)
    os.write(ready, b"ready\n")
    os.close(ready)
    loop.run()
    del kept


class Bus:
    """The bus, and the processes of its services."""

    def __init__(self, socket):
        self.socket = socket
        self.processes = {}
        self.start()

    def start(self):
        self.daemon = subprocess.Popen(
            # It ends with this process. The session's settings let everybody do everything.
            ["setpriv", "--pdeathsig", "KILL", "--"]
            + ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address=1"]
            + [f"--address=unix:path={self.socket}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.address = self.daemon.stdout.readline().strip()
        self.connection = dbus.bus.BusConnection(self.address)
        # Otherwise this process would end with the bus.
        self.connection.set_exit_on_disconnect(False)

    def stop(self):
        for service in list(self.processes):
            self.stop_service(service)
        self.connection.close()
        self.daemon.kill()
        self.daemon.wait()

    def start_service(self, service):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            # PR_SET_PDEATHSIG
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            try:
                serve(service, self.address, writer)
            finally:
                os._exit(1)
        os.close(writer)
        with os.fdopen(reader) as output:
            if output.readline() != "ready\n":
                raise RuntimeError(f"{service} has not started")
        self.processes[service] = child

    def stop_service(self, service):
        name = SERVICES[service][0]
        child = self.processes.pop(service)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        # The bus learns of it by itself, and it has when it says so.
        while self.connection.name_has_owner(name):
            pass

    def send_signal(self, service, number):
        os.kill(self.processes[service], number)
        if number == signal.SIGSTOP:
            os.waitpid(self.processes[service], os.WUNTRACED)

    def object(self, service):
        name, path, _, _ = SERVICES[service]
        return self.connection.get_object(name, path, introspect=False)

    def set(self, service, name, kind, text, waits=True):
        value = TYPES[kind](text.strip('"'))
        interface = NETWORK_PORTAL if name == "metered" else SERVICES[service][2]
        arguments = (interface, dbus.Dictionary({name: value}, signature="sv"))
        mock = dbus.Interface(self.object(service), "org.freedesktop.DBus.Mock")
        if waits:
            mock.UpdateProperties(*arguments)
        else:
            mock.UpdateProperties(*arguments, ignore_reply=True)
            self.connection.flush()
        if name == "metered":
            mock.EmitSignal(NETWORK_PORTAL, "changed", "", dbus.Array([], signature="v"))

    def carry_out(self, command, *words):
        if command == "start":
            self.start_service(*words)
        elif command == "stop":
            self.stop_service(*words)
        elif command == "hang":
            self.send_signal(words[0], signal.SIGSTOP)
        elif command == "resume":
            self.send_signal(words[0], signal.SIGCONT)
        elif command == "set":
            self.set(*words)
        elif command == "tell":
            self.set(*words, waits=False)
        elif command == "alternate":
            count, service, name, kind, *values = words
            for index in range(int(count)):
                self.set(service, name, kind, values[index % len(values)])
        elif command == "stop-bus":
            self.stop()
        elif command == "start-bus":
            self.start()
        else:
            raise RuntimeError(f"no such command: {command}")


def main(socket):
    bus = Bus(socket)
    print("done", flush=True)
    for line in sys.stdin:
        bus.carry_out(*line.split())
        print("done", line.strip(), flush=True)


main(sys.argv[1])
