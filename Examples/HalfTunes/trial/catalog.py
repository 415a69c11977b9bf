#!/usr/bin/env python3
"""A catalog for trials and tests: of music, for which it speaks the iTunes Search API's JSON over HTTP, and
of large pictures.

Prints its address, and ends when its standard input does. All it has is made up, from the words to the
sound. `PUT /trial` with JSON changes how it behaves, `GET /trial/searches?count=N` answers with the terms
it was asked for when there are N.
"""

import argparse
import http.server
import json
import os
import signal
import sys
import threading
import time
import urllib.parse

import pictures
import songs


class Trial:
    """How the catalog behaves, and what it was asked."""

    def __init__(self, rate):
        self.condition = threading.Condition()
        self.settings = {"rate": rate, "status": 200, "holds_searches": False, "version": 1}
        self.searches = []

    def __getitem__(self, name):
        with self.condition:
            return self.settings[name]

    def change(self, settings):
        with self.condition:
            self.settings.update(settings)
            self.condition.notify_all()

    def note(self, term):
        with self.condition:
            self.searches.append(term)
            self.condition.notify_all()
            self.condition.wait_for(lambda: not self.settings["holds_searches"])

    def wait_for_searches(self, count):
        with self.condition:
            self.condition.wait_for(lambda: len(self.searches) >= count)
            return list(self.searches)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        place, _, name = url.path.lstrip("/").partition("/")
        if url.path == "/search":
            self.search(query)
        elif url.path == "/trial/searches":
            self.send_json(self.server.trial.wait_for_searches(int(query["count"])))
        elif place == "artwork":
            self.send_artwork(self.server.album.song(name.partition(".")[0]))
        elif place == "preview":
            song = self.server.album.song(name.partition(".")[0])
            self.send_media(name, song and song.audio(), "audio/x-wav")
        elif place == "picture":
            self.send_media(name, self.server.gallery.picture(name), "image/png")
        else:
            self.send_body(404, b"")

    do_HEAD = do_GET

    def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.trial.change(json.loads(body))
        self.send_body(204, b"")

    def search(self, query):
        self.server.trial.note(query.get("term", ""))
        status = self.server.trial["status"]
        if status != 200:
            return self.send_body(status, b"")
        asked_for_songs = query.get("media") == "music" and query.get("entity") == "song"
        found = self.server.album.find(query.get("term", "")) if asked_for_songs else []
        base = f"http://{self.headers['Host']}"
        results = [song.result(base) for song in found[: int(query.get("limit", 50))]]
        self.send_json({"resultCount": len(results), "results": results})

    def send_artwork(self, song):
        if song is None:
            return self.send_body(404, b"")
        self.send_body(200, song.artwork(), "image/png", {"Cache-Control": "max-age=86400"})

    def send_media(self, name, body, kind):
        if body is None:
            return self.send_body(404, b"")
        trial = self.server.trial
        if trial["status"] != 200:
            return self.send_body(trial["status"], b"")
        tag = f'"{name}-{trial["version"]}"'
        headers = {"ETag": tag, "Accept-Ranges": "bytes"}
        first, last = self.asked_range(len(body), tag)
        if first is None:
            return self.send_body(200, body, kind, headers, trial)
        if first >= len(body):
            headers["Content-Range"] = f"bytes */{len(body)}"
            return self.send_body(416, b"", kind, headers)
        headers["Content-Range"] = f"bytes {first}-{last}/{len(body)}"
        self.send_body(206, body[first : last + 1], kind, headers, trial)

    def asked_range(self, length, tag):
        """The first and last byte that are asked for; None for the whole."""
        value = self.headers.get("Range", "")
        if not value.startswith("bytes=") or self.headers.get("If-Range", tag) != tag:
            return None, None
        first, _, last = value.removeprefix("bytes=").partition("-")
        if not first.isdigit():
            return None, None
        return int(first), min(int(last) if last.isdigit() else length, length - 1)

    def send_json(self, value):
        self.send_body(200, json.dumps(value).encode(), "text/javascript; charset=utf-8")

    def send_body(self, status, body, kind=None, headers={}, limit=None):
        self.send_response(status)
        if kind:
            self.send_header("Content-Type", kind)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.send_at_rate(body, limit)

    def send_at_rate(self, body, limit):
        """In ten pieces a second, so that a rate that was changed holds at once."""
        position = 0
        while position < len(body):
            rate = limit["rate"] if limit else 0
            piece = body[position : position + (max(1, rate // 10) if rate else len(body))]
            self.wfile.write(piece)
            position += len(piece)
            if rate and position < len(body):
                time.sleep(0.1)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port, album, gallery, trial):
        super().__init__(("127.0.0.1", port), Handler)
        self.album, self.gallery, self.trial = album, gallery, trial

    def handle_error(self, request, client_address):
        # Who cancels a download leaves in the middle of it.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


def end_with_input():
    sys.stdin.read()
    os._exit(0)


def main():
    # Ctrl-C is for the script that has started it, with whose end its input ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=0, help="default: any that is free")
    parser.add_argument("--rate", type=int, default=0, help="bytes per second and file; 0: no limit")
    parser.add_argument("--seconds", type=int, default=30, help="how long a preview plays")
    options = parser.parse_args()
    album, gallery = songs.Album(options.seconds), pictures.Gallery()
    server = Server(options.port, album, gallery, Trial(options.rate))
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    threading.Thread(target=end_with_input, daemon=True).start()
    server.serve_forever()


main()
