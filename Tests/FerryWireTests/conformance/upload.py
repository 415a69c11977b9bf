"""Hands over an upload: upload.py SOCKET FILE

Prints the answer's parameters as one JSON object. The package `varlink` cannot pass descriptors, so
that the call is written here.
"""

import json
import socket
import sys

INTERFACE = "io.ferry.Transfer"


def receive(connection):
    answer = b""
    while not answer.endswith(b"\0"):
        part = connection.recv(65536)
        if not part:
            raise ConnectionError("the daemon has closed the connection")
        answer += part
    return json.loads(answer[:-1])


def main(address, path):
    call = {
        "method": INTERFACE + ".CreateUpload",
        "parameters": {
            "session": 5,
            "identifier": 4,
            "request": {
                "url": "http://localhost/",
                "method": "PUT",
                "fields": [],
                "idleTimeout": 60.0,
            },
            "path": path,
            "priority": 0.5,
        },
    }
    with socket.socket(socket.AF_UNIX) as connection, open(path, "rb") as file:
        connection.connect(address)
        message = json.dumps(call).encode() + b"\0"
        sent = socket.send_fds(connection, [message], [file.fileno()])
        connection.sendall(message[sent:])
        answer = receive(connection)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        print(json.dumps(answer["parameters"]), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
