"""A WebSocket server on loopback whose paths are the behaviours that the tests need.

Prints its port, and ends when its standard input does. With arguments, a certificate and its key,
it speaks TLS; with an authority's certificate behind them, to those whom that has signed.
"""

import asyncio
import hashlib
import http
import json
import re
import ssl
import sys
import urllib.parse

from websockets.asyncio.server import serve


async def handle(socket):
    path, _, query = socket.request.path.partition("?")
    values = dict(urllib.parse.parse_qsl(query))
    count = int(values.get("count", "1"))
    match path:
        case "/echo" | "/basic" | "/digest":
            async for message in socket:
                await socket.send(message)
        case "/protocol":
            await socket.send(socket.subprotocol or "")
        case "/fields":
            fields = {name.lower(): value for name, value in socket.request.headers.raw_items()}
            await socket.send(json.dumps({"path": socket.request.path, "fields": fields}))
        case "/fragments":
            await socket.send(["frag", "", "mën", "ts"])
            await socket.send([b"\x00", b"\x01", b"\x02"])
            await socket.wait_closed()
        case "/pings":
            for _ in range(count):
                await (await socket.ping())
            await socket.send("ponged")
        case "/close":
            await socket.send("last")
            await socket.close(int(values["code"]), values.get("reason", ""))
        case "/big":
            await socket.send(bytes(count))
            await socket.wait_closed()
        case "/count":
            for number in range(count):
                await socket.send(str(number))
            await socket.wait_closed()
        case "/farewell":
            for number in range(count):
                await socket.send(str(number))
            await socket.close(1000, "")
        case "/drop":
            await socket.recv()
            socket.transport.abort()
        case "/deaf":
            await asyncio.Future()
        case "/report":
            # What the client says goodbye with is told by another connection.
            await socket.wait_closed()
            closed.put_nowait([socket.close_code, socket.close_reason])
        case "/reported":
            await socket.send(json.dumps(await closed.get()))


def md5(text):
    return hashlib.md5(text.encode()).hexdigest()


def proves(request):
    """Whether a request proves by its path's method to be alice's, whose password is harbour."""
    value = request.headers.get("Authorization", "")
    if request.path == "/basic":
        return value == "Basic YWxpY2U6aGFyYm91cg=="
    parts = dict(re.findall(r'(\w+)="?([^",]*)"?', value.removeprefix("Digest ")))
    secret = md5("alice:songs:harbour")
    middle = [parts.get(name, "") for name in ["nonce", "nc", "cnonce", "qop"]]
    expected = md5(":".join([secret, *middle, md5("GET:" + request.path)]))
    return parts.get("uri") == request.path and parts.get("response") == expected


def answer(connection, request):
    path = request.path.partition("?")[0]
    if path == "/missing":
        return connection.respond(http.HTTPStatus.NOT_FOUND, "not here")
    if path.startswith("/redirect/"):
        response = connection.respond(http.HTTPStatus.TEMPORARY_REDIRECT, "")
        response.headers["Location"] = path.removeprefix("/redirect")
        return response
    if path in ["/basic", "/digest"] and not proves(request):
        response = connection.respond(http.HTTPStatus.UNAUTHORIZED, "")
        way = path.removeprefix("/").capitalize() + ' realm="songs"'
        if path == "/digest":
            way += ', nonce="n1", qop="auth", algorithm=MD5'
        response.headers["WWW-Authenticate"] = way
        return response
    if path == "/loop":
        response = connection.respond(http.HTTPStatus.FOUND, "")
        response.headers["Location"] = "/loop"
        return response
    return None


async def main():
    global closed
    closed = asyncio.Queue()
    context = None
    if len(sys.argv) > 2:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
    if len(sys.argv) > 3:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(sys.argv[3])
    server = await serve(
        handle,
        "127.0.0.1",
        0,
        ssl=context,
        process_request=answer,
        subprotocols=["chat.2", "chat.1"],
        select_subprotocol=lambda connection, offered: next(
            (name for name in ["chat.2", "chat.1"] if name in offered), None
        ),
        max_size=None,
        max_queue=1,
        write_limit=4096,
        ping_interval=None,
        close_timeout=30,
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    loop = asyncio.get_running_loop()
    await loop.run_in_executor(None, sys.stdin.read)


asyncio.run(main())
