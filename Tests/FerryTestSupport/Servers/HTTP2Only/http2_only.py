"""A TLS server that speaks HTTP/2 alone, one connection at a time.

Arguments: a certificate, its key, and the Unix socket of a server that speaks HTTP/2 without TLS. openssl refuses a client that
does not offer h2 (RFC 7301 §3.2), which Python's own module cannot. Prints the port it listens on.
"""

import ctypes
import signal
import socket
import subprocess
import sys
import threading

certificate, key, far_path = sys.argv[1:]
# How every HTTP/2 connection begins (RFC 9113 §3.4).
PREFACE = b"PRI * HTTP/2.0"

with socket.create_server(("127.0.0.1", 0)) as reserved:
    port = reserved.getsockname()[1]
server = subprocess.Popen(
    ["openssl", "s_server", "-accept", f"127.0.0.1:{port}", "-alpn", "h2", "-quiet"]
    + ["-cert", certificate, "-key", key],
    stdin=subprocess.PIPE,
    stdout=subprocess.PIPE,
    stderr=subprocess.DEVNULL,
    # It ends with this process (PR_SET_PDEATHSIG).
    preexec_fn=lambda: ctypes.CDLL(None).prctl(1, signal.SIGKILL),
)


def carry_back(far):
    while data := far.recv(65536):
        server.stdin.write(data)
        server.stdin.flush()


while True:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
        break
    except ConnectionRefusedError:
        pass
print("listening", port, flush=True)
far = None
while data := server.stdout.read1(65536):
    if data.startswith(PREFACE):
        far = socket.socket(socket.AF_UNIX)
        far.connect(far_path)
        threading.Thread(target=carry_back, args=[far], daemon=True).start()
    far.sendall(data)
