"""Measures a running server: python Benchmarks/server/bench.py ADDRESS TOKEN [PID]

Prints one JSON object: requests per second and p99 of a trivial route over one kept-alive connection, the time to open and
the memory for 1,000 idle event streams, the time of a ping while they are open, and the size of the page.
"""

import http.client
import json
import pathlib
import socket
import sys
import time
import urllib.parse


def resident(pid):
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(next(line for line in text.splitlines() if line.startswith("VmRSS")).split()[1])


def main():
    address, token = sys.argv[1], sys.argv[2]
    pid = sys.argv[3] if len(sys.argv) > 3 else None
    host = urllib.parse.urlparse(address).netloc
    headers = {"Authorization": f"Bearer {token}"}
    line = http.client.HTTPConnection(host)
    times = []
    for _ in range(3000):
        began = time.perf_counter()
        line.request("GET", "/api/ping", headers=headers)
        line.getresponse().read()
        times.append(time.perf_counter() - began)
    times.sort()
    result = {"requests_per_s": round(len(times) / sum(times)), "p50_ms": round(times[len(times) // 2] * 1000, 3),
              "p99_ms": round(times[int(len(times) * 0.99)] * 1000, 3)}
    before = resident(pid) if pid else None
    began = time.perf_counter()
    name, port = host.split(":")
    head = f"GET /api/events HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\r\n".encode()
    streams = []
    for _ in range(1000):
        one = socket.create_connection((name, int(port)))
        one.sendall(head)
        streams.append(one)
    for one in streams:
        data = b""
        while b"event: hello" not in data:
            data += one.recv(4096)
    result["open_1000_streams_s"] = round(time.perf_counter() - began, 2)
    if pid:
        result["kB_per_idle_stream"] = round((resident(pid) - before) / 1000, 1)
    began = time.perf_counter()
    line.request("GET", "/api/ping", headers=headers)
    line.getresponse().read()
    result["ping_beside_1000_streams_ms"] = round((time.perf_counter() - began) * 1000, 2)
    web = pathlib.Path(__file__).resolve().parents[2] / "Web"
    result["page_bytes"] = sum(file.stat().st_size for file in web.rglob("*") if file.is_file())
    print(json.dumps(result))


if __name__ == "__main__":
    main()
