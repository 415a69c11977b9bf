"""Ends TLS on loopback, and carries what is in it to a port there and back.

Arguments: a certificate, its key, the port, the newest version of TLS, and how a connection ends whose server
has closed its own: notified (close_notify, RFC 8446 §6.1) or cut. Prints the port it listens on.
"""

import select
import socket
import ssl
import sys
import threading

certificate, key, port, version, end = sys.argv[1:]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
context.maximum_version = ssl.TLSVersion[version]


def carry(near, far):
    while True:
        ready = [near] if near.pending() else select.select([near, far], [], [])[0]
        if near in ready:
            data = near.recv(65536)
            if not data:
                return
            far.sendall(data)
        if far in ready:
            data = far.recv(65536)
            if not data:
                if end == "notified":
                    near.unwrap()
                return
            near.sendall(data)


def serve(client):
    try:
        with context.wrap_socket(client, server_side=True) as near:
            with socket.create_connection(("127.0.0.1", int(port))) as far:
                carry(near, far)
    except OSError:
        pass


listener = socket.create_server(("127.0.0.1", 0))
print("listening", listener.getsockname()[1], flush=True)
while True:
    threading.Thread(target=serve, args=[listener.accept()[0]], daemon=True).start()
