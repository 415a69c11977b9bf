"""A file system that stops answering when it is told to, as that of a server that is gone.

hanging-disk.py MOUNTPOINT BYTES: the file "file" of so many bytes, and the directory "directory". On standard
input: "hang OPERATION..." (read, getattr, open, flush, lookup), "go". On standard output: "ready", "ok" after
each command, "hanging OPERATION" for each request that is not answered. With this process the file system ends,
and whoever waits gets an error; that is so after a minute without an answer, too, lest a test hang for ever.
"""

import ctypes
import os
import select
import stat
import struct
import sys
import time

LOOKUP, FORGET, GETATTR, OPEN, READ, STATFS, RELEASE, FSYNC = 1, 2, 3, 14, 15, 17, 18, 20
GETXATTR, LISTXATTR, FLUSH, INIT, OPENDIR, READDIR, RELEASEDIR = 22, 23, 25, 26, 27, 28, 29
ACCESS, INTERRUPT, DESTROY, BATCH_FORGET = 34, 36, 38, 42
NAMES = {"lookup": LOOKUP, "getattr": GETATTR, "open": OPEN, "read": READ, "flush": FLUSH}
TITLES = {number: name for name, number in NAMES.items()}
ROOT, FILE, DIRECTORY = 1, 2, 3
ENOENT, ENOSYS = 2, 38
PATIENCE = 60

path, size = sys.argv[1], int(sys.argv[2])
disk = os.open("/dev/fuse", os.O_RDWR | os.O_NONBLOCK)
options = f"fd={disk},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()},allow_other"
libc = ctypes.CDLL(None, use_errno=True)
if libc.mount(b"hanging", path.encode(), b"fuse.hanging", 6, options.encode()) != 0:
    sys.exit(os.strerror(ctypes.get_errno()))


def attributes(node):
    mode = stat.S_IFREG | 0o644 if node == FILE else stat.S_IFDIR | 0o755
    length = size if node == FILE else 0
    times = (1_000_000_000,) * 3
    return struct.pack("<6Q3I7I", node, length, 0, *times, 0, 0, 0,
                       mode, 1, os.getuid(), os.getgid(), 0, 4096, 0)


def content(offset, count):
    count = max(0, min(count, size - offset))
    first = offset % 251
    return (bytes(range(251)) * (count // 251 + 2))[first:first + count]


def answer(operation, node, body):
    if operation == INIT:
        return struct.pack("<4I2H2I2H8I", 7, 31, 1 << 17, 0, 16, 12, 1 << 17, 1, *(0,) * 10)
    if operation == LOOKUP:
        node = {b"file\0": FILE, b"directory\0": DIRECTORY}.get(body)
        return struct.pack("<4Q2I", node, 0, 0, 0, 0, 0) + attributes(node) if node else -ENOENT
    if operation == GETATTR:
        return struct.pack("<Q2I", 0, 0, 0) + attributes(node)
    if operation in (OPEN, OPENDIR):
        return struct.pack("<Q2I", 0, 1 if operation == OPEN else 0, 0)
    if operation == READ:
        offset, count = struct.unpack_from("<QI", body, 8)
        return content(offset, count)
    if operation in (RELEASE, RELEASEDIR, FSYNC, FLUSH, READDIR, DESTROY):
        return b""
    if operation == STATFS:
        return bytes(80)
    return -ENOSYS


def reply(request):
    _, operation, unique, node = struct.unpack_from("<IIQQ", request)
    result = answer(operation, node, request[40:])
    error, body = (result, b"") if isinstance(result, int) else (0, result)
    try:
        os.write(disk, struct.pack("<IiQ", 16 + len(body), error, unique) + body)
    except OSError:
        pass  # Whoever asked is gone.


hanging, held, since = set(), [], 0
commands = b""
print("ready", flush=True)
while True:
    patience = max(0, since + PATIENCE - time.monotonic()) if held else None
    ready = select.select([disk, 0], [], [], patience)[0]
    if held and time.monotonic() > since + PATIENCE:
        sys.exit("nobody has let go of what waits")
    for source in ready:
        if source == 0:
            bytes_read = os.read(0, 4096)
            if not bytes_read:
                sys.exit()
            commands += bytes_read
            while b"\n" in commands:
                line, commands = commands.split(b"\n", 1)
                words = line.decode().split()
                hanging = {NAMES[word] for word in words[1:]}
                if words[0] == "go":
                    for request in held:
                        reply(request)
                    held = []
                print("ok", flush=True)
            continue
        try:
            request = os.read(disk, 1 << 20)
        except BlockingIOError:
            continue  # Whoever asked was killed since.
        operation = struct.unpack_from("<II", request)[1]
        if operation == INTERRUPT:
            # Whoever waits is killed; a file system that did not let go of it would keep it.
            number = struct.unpack_from("<Q", request, 40)[0]
            for waiting in [one for one in held if struct.unpack_from("<IIQ", one)[2] == number]:
                held.remove(waiting)
                os.write(disk, struct.pack("<IiQ", 16, -4, number))
            continue
        if operation in (FORGET, BATCH_FORGET):
            continue
        if operation in hanging:
            since = since if held else time.monotonic()
            held.append(request)
            print("hanging " + TITLES[operation], flush=True)
        else:
            reply(request)
