"""Lists tasks: list.py SOCKET [APPLICATION]

Prints one JSON object with the service's interfaces and all tasks, asked for page by page.
"""

import json
import sys

import varlink


def main(socket, application=None):
    with varlink.Client(address="unix:" + socket) as client:
        with client.open("io.ferry.Transfer") as ferry:
            tasks, after = [], None
            while True:
                page = ferry.ListTasks(application=application, after=after, limit=2)
                tasks += page["tasks"]
                after = page.get("next")
                if after is None:
                    break
        interfaces = client.get_interfaces()
    json.dump({"interfaces": sorted(interfaces), "tasks": tasks}, sys.stdout)
    print()


if __name__ == "__main__":
    main(*sys.argv[1:])
