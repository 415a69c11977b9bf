"""Watches tasks: watch.py SOCKET ID…

Prints each reply as one JSON object a line, and ends when all of the tasks are completed or gone.
"""

import json
import sys

import varlink


def main(socket, *ids):
    ids = [int(id) for id in ids]
    open_ids = set(ids)
    with varlink.Client(address="unix:" + socket) as client:
        with client.open("io.ferry.Transfer") as ferry:
            for reply in ferry.WatchTasks(ids=ids, _more=True):
                print(json.dumps(reply), flush=True)
                open_ids -= set(reply["removed"])
                open_ids -= {t["id"] for t in reply["tasks"] if t["state"] == "completed"}
                if not open_ids:
                    return


if __name__ == "__main__":
    main(*sys.argv[1:])
