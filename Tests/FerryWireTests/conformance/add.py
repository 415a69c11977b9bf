"""Adds a download and starts it: add.py SOCKET APPLICATION SESSION URL [--follow]

Prints one JSON object with the task's id and its number in the session. With --follow it then
prints the session's events, one JSON object a line, acknowledges the final ones, and ends after
the task's completed event.
"""

import json
import sys

import varlink

INTERFACE = "io.ferry.Transfer"


def say(value):
    print(json.dumps(value), flush=True)


def follow(client, calls, session, task):
    # A stream keeps its connection busy, so that it has one of its own.
    with client.open(INTERFACE) as stream:
        for reply in stream.Subscribe(session=session, _more=True):
            event = reply["event"]
            say(event)
            if "sequence" in event:
                calls.Acknowledge(session=session, sequence=event["sequence"])
            if event["kind"] == "completed" and event["task"] == task:
                return


def main(socket, application, session, url, *options):
    with varlink.Client(address="unix:" + socket) as client:
        with client.open(INTERFACE) as calls:
            opened = calls.OpenSession(
                application={"identifier": application},
                identifier=session,
                configuration={
                    "additionalFields": [{"name": "Accept", "value": "*/*"}],
                    "resourceTimeout": 3600.0,
                    "maximumConnectionsPerHost": 6,
                    "sendsLaunchEvents": False,
                },
            )
            number, task = opened["session"], opened["nextTaskIdentifier"]
            made = calls.CreateDownload(
                session=number,
                identifier=task,
                request={"url": url, "method": "GET", "fields": [], "idleTimeout": 60.0},
                description="added by python",
                priority=0.5,
            )
            calls.Resume(session=number, identifier=task)
            say({"id": made["id"], "task": task})
            if "--follow" in options:
                follow(client, calls, number, task)


if __name__ == "__main__":
    main(*sys.argv[1:])
