"""A server that frames its messages the way language servers do, and reads nothing else.

It uses no library for it, so that what is right here owes nothing to foreread.
"""

import json
import sys


def read():
    """Reads one message, or None at the end."""
    length = None
    while True:
        line = sys.stdin.buffer.readline()
        if not line:
            return None
        if line.strip() == b"":
            if length is not None:
                return json.loads(sys.stdin.buffer.read(length))
            continue
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            length = int(value)


def write(message):
    body = json.dumps(message, ensure_ascii=False).encode()
    head = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    # In pieces, as it may come.
    for piece in (head[:9], head[9:], body[:5], body[5:]):
        sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()


def result(method, params):
    if method == "initialize":
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "content-length", "version": "1"},
        }
    if method == "tools/list":
        schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
        return {"tools": [{"name": "upper", "description": "Shouts.", "inputSchema": schema}]}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": params["arguments"]["text"].upper()}]}
    if method == "ping":
        return {}
    return None


while (message := read()) is not None:
    if "id" not in message:
        continue
    answer = {"jsonrpc": "2.0", "id": message["id"]}
    found = result(message["method"], message.get("params", {}))
    if found is None:
        answer["error"] = {"code": -32601, "message": "method not found"}
    else:
        answer["result"] = found
    write(answer)
