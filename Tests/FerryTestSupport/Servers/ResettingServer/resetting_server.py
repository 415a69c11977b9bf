"""Serves HTTP over TLS on loopback, and resets the first POST that comes over HTTP/2 when it is complete.

Arguments: a certificate, its key, the code of the reset (RFC 9113 §7), and whether the connection is ended with the reset,
in one segment: ends or stays. Prints the port it listens on, and a line for each complete request. It reads only
requests without a body, or with one that fits the first window of flow control.
"""

import socket
import ssl
import struct
import sys
import threading

certificate, key, code, end = sys.argv[1:]
DATA, HEADERS, RST_STREAM, SETTINGS = 0, 1, 3, 4
END_STREAM, ACK, END_HEADERS = 1, 1, 4
STATUS_200 = b"\x88"  # The eighth entry of HPACK's table.
POST = 0x83  # The third: the method of curl's requests is their first field.
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
context.set_alpn_protocols(["h2", "http/1.1"])
resets = threading.Semaphore()


class Connection:
    """TLS in memory, so that several records make one segment."""

    def __init__(self, client):
        self.client = client
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_side=True)
        self.repeat(self.tls.do_handshake)

    def repeat(self, step, *arguments):
        while True:
            try:
                result = step(*arguments)
                self.flush()
                return result
            except ssl.SSLWantReadError:
                self.flush()
                data = self.client.recv(65536)
                if not data:
                    raise EOFError
                self.incoming.write(data)

    def read(self, count):
        data = b""
        while len(data) < count:
            part = self.repeat(self.tls.read, count - len(data))
            if not part:
                raise EOFError
            data += part
        return data

    def write(self, data):
        self.tls.write(data)

    def end(self):
        try:
            self.tls.unwrap()
        except ssl.SSLWantReadError:
            pass
        self.flush()
        self.client.shutdown(socket.SHUT_WR)

    def flush(self):
        self.client.sendall(self.outgoing.read())


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def serve_frames(connection):
    connection.read(len(PREFACE))
    connection.write(frame(SETTINGS, 0, 0))
    methods = {}
    while True:
        head = connection.read(9)
        count, kind, flags, stream = int.from_bytes(head[:3], "big"), head[3], head[4], int.from_bytes(head[5:], "big")
        payload = connection.read(count)
        if kind == SETTINGS and not flags & ACK:
            connection.write(frame(SETTINGS, ACK, 0))
            connection.flush()
        if kind == HEADERS:
            methods[stream] = "POST" if payload[5 if flags & 0x20 else 0] == POST else "GET"
        if kind not in (HEADERS, DATA) or not flags & END_STREAM:
            continue
        print("h2", methods[stream], flush=True)
        if methods[stream] == "POST" and resets.acquire(blocking=False):
            connection.write(frame(RST_STREAM, 0, stream, struct.pack(">I", int(code))))
            if end == "ends":
                connection.end()
                return
        else:
            connection.write(frame(HEADERS, END_HEADERS | END_STREAM, stream, STATUS_200))
        connection.flush()


def serve_text(connection):
    while True:
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += connection.read(1)
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:-2])
        connection.read(int(fields.get(b"content-length", 0)))
        print("http/1.1", head.split()[0].decode(), flush=True)
        connection.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        connection.flush()


def serve(client):
    try:
        connection = Connection(client)
        (serve_frames if connection.tls.selected_alpn_protocol() == "h2" else serve_text)(connection)
    except (OSError, EOFError):
        pass


listener = socket.create_server(("127.0.0.1", 0))
print("listening", listener.getsockname()[1], flush=True)
while True:
    threading.Thread(target=serve, args=[listener.accept()[0]], daemon=True).start()
