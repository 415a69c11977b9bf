"""A system bus of its own with something that looks like systemd-logind, as far as inhibitors go.

Prints the bus' address, then a line for each inhibitor that is taken and released. Emits the signals
that it reads from its standard input, as a name and a boolean; `refuse MODE` has it refuse inhibitors,
`logind leave` and `logind return` give up its name and take it again, `bus restart` restarts the bus.
"""

import os
import subprocess
import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

SERVICE = "org.freedesktop.login1"
MANAGER = "org.freedesktop.login1.Manager"


class Manager(dbus.service.Object):
    def __init__(self, bus, longest_delay):
        super().__init__(bus, "/org/freedesktop/login1")
        self.longest_delay = longest_delay
        self.refused = set()

    @dbus.service.method(MANAGER, in_signature="ssss", out_signature="h")
    def Inhibit(self, what, who, why, mode):
        if mode in self.refused:
            raise dbus.exceptions.DBusException(
                "Permission denied", name="org.freedesktop.DBus.Error.AccessDenied"
            )
        # As logind does: the pipe hangs up when the last copy of the other end is closed.
        reader, writer = os.pipe()
        GLib.unix_fd_add_full(GLib.PRIORITY_DEFAULT, reader, GLib.IO_HUP, self.released, mode)
        print("inhibit", what, who, mode, why, flush=True)
        descriptor = dbus.types.UnixFd(writer)
        os.close(writer)
        return descriptor

    def released(self, reader, condition, mode):
        os.close(reader)
        print("released" if mode == "delay" else f"released {mode}", flush=True)
        return False

    @dbus.service.method(dbus.PROPERTIES_IFACE, in_signature="ss", out_signature="v")
    def Get(self, interface, name):
        return {"InhibitDelayMaxUSec": dbus.UInt64(self.longest_delay * 1_000_000)}[name]

    @dbus.service.signal(MANAGER, signature="b")
    def PrepareForShutdown(self, start):
        pass

    @dbus.service.signal(MANAGER, signature="b")
    def PrepareForSleep(self, start):
        pass


class Bus:
    def __init__(self, socket, longest_delay):
        self.socket = socket
        self.longest_delay = longest_delay
        self.start()

    def start(self):
        self.daemon = start_daemon(self.socket)
        # Without its number, which is another one after a restart; addresses in files have none either.
        self.address = self.daemon.stdout.readline().strip().split(",")[0]
        self.connection = dbus.bus.BusConnection(self.address)
        self.connection.set_exit_on_disconnect(False)
        self.manager = Manager(self.connection, self.longest_delay)
        self.connection.request_name(SERVICE)

    def read_line(self):
        line = sys.stdin.readline().decode()
        if line:
            name, value = line.split()
            if name == "refuse":
                self.manager.refused.add(value)
                print("refuses", value, flush=True)
            elif name == "logind" and value == "leave":
                self.connection.release_name(SERVICE)
                print("left", flush=True)
            elif name == "logind" and value == "return":
                self.connection.request_name(SERVICE)
                print("returned", flush=True)
            elif name == "bus":
                self.daemon.kill()
                self.daemon.wait()
                self.start()
                print("restarted", flush=True)
            else:
                getattr(self.manager, name)(value == "true")
        return bool(line)


def start_daemon(socket):
    return subprocess.Popen(
        # It ends with this process. The session's settings let everybody do everything.
        ["setpriv", "--pdeathsig", "KILL", "--"]
        + ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address=1"]
        + [f"--address=unix:path={socket}"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )


def main(socket, longest_delay):
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    bus = Bus(socket, longest_delay)
    # Unbuffered, so that nothing is left where the loop does not see it.
    sys.stdin = open(0, "rb", buffering=0)
    GLib.io_add_watch(0, GLib.IO_IN | GLib.IO_HUP, lambda *_: bus.read_line())
    print("address", bus.address, flush=True)
    GLib.MainLoop().run()


main(sys.argv[1], int(sys.argv[2]))
