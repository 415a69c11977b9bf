"""Makes calls that must fail: errors.py SOCKET

Prints one JSON object with the errors' names, and the last one's parameters.
"""

import json
import sys

import varlink


def error_of(call):
    try:
        call()
    except varlink.VarlinkError as error:
        return error
    raise SystemExit("a call that must fail was answered")


def main(socket):
    names = []
    with varlink.Client(address="unix:" + socket) as client:
        names.append(error_of(lambda: client.open("io.ferry.Other")).error())
        with client.open("io.ferry.Transfer") as ferry:
            for call in (
                lambda: ferry.GetTask(),
                lambda: ferry.Subscribe(session=1),
                lambda: ferry.GetTask(id=404),
            ):
                error = error_of(call)
                names.append(error.error())
    json.dump({"errors": names, "parameters": error.parameters()}, sys.stdout)
    print()


if __name__ == "__main__":
    main(*sys.argv[1:])
