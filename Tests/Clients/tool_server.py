"""A tool server made with the protocol's own library for Python: what strangers' servers are made with."""

import asyncio
import socket
import sys

from mcp.server.mcpserver import Context, MCPServer

server = MCPServer("notes")
NOTES = {"plumber": "The plumber is Ann Miller, 555 0142.", "boiler": "The boiler was serviced in May."}


@server.tool()
def search_notes(words: str) -> str:
    """Finds notes that hold these words"""
    return "\n".join(note for note in NOTES.values() if any(word in note.lower() for word in words.lower().split())) or "Nothing."


@server.resource("notes://boiler", title="The boiler", mime_type="text/markdown")
def boiler() -> str:
    return f"# Heating\n\n{NOTES['boiler']}\n"


@server.prompt()
def compare(first: str, second: str = "nothing") -> str:
    """Compares two notes"""
    return f"Compare {first} with {second}."


@server.tool()
def add_numbers(first: int, second: int) -> int:
    """Adds two whole numbers"""
    return first + second


@server.tool()
def reach(path: str) -> str:
    """Tries the network and a file, and says what came of it"""
    found = []
    try:
        socket.create_connection(("127.0.0.1", 9), timeout=5)
        found.append("network")
    except ConnectionRefusedError:
        found.append("network")
    except OSError as error:
        found.append(f"no network: {error.strerror}")
    try:
        open(path).close()
        found.append("reads")
    except OSError:
        found.append("reads not")
    return ", ".join(found)


@server.tool()
async def slow(steps: int, ctx: Context) -> str:
    """Works slowly and tells how far it is"""
    for step in range(steps):
        await ctx.report_progress(step + 1, steps)
        await asyncio.sleep(0.01)
    return "there"


def over_http(port, form, key=None):
    """The same over streamable HTTP: answers as JSON, or as streams of events; for whoever shows the key."""
    import logging

    import uvicorn

    logging.disable(logging.INFO)
    inner = server.streamable_http_app(json_response=form == "json")

    async def guarded(scope, receive, send):
        shown = dict(scope.get("headers") or {}).get(b"authorization")
        if scope["type"] == "http" and key and shown != f"Bearer {key}".encode():
            await send({"type": "http.response.start", "status": 401, "headers": [(b"content-type", b"application/json")]})
            await send({"type": "http.response.body", "body": b'{"error": "invalid_token"}'})
            return
        await inner(scope, receive, send)

    uvicorn.run(guarded, host="127.0.0.1", port=int(port), log_level="error")


if sys.argv[1:]:
    over_http(*sys.argv[1:])
else:
    server.run()
