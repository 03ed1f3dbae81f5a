"""A web server for tests that behaves well or badly, as the address says: /BEHAVIOUR/ARGUMENT/FILE.
It serves the folder given, prints its port, and writes one line per request into `requests.log` there. With a certificate and its key
it serves over TLS."""
import http.server, os, socketserver, ssl, sys, threading, time, urllib.parse

folder = sys.argv[1]
seen = {}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        behaviour, argument, name = self.path.strip("/").split("/", 2)
        with open(os.path.join(folder, "requests.log"), "a") as log:
            print(self.command, self.path, self.headers.get("Range") or "-", self.headers.get("If-Range") or "-", file=log)
        seen[self.path] = seen.get(self.path, 0) + 1
        try:
            getattr(self, behaviour)(argument, name, seen[self.path])
        except FileNotFoundError:
            self.head(404, 0)

    def data(self, name):
        with open(os.path.join(folder, urllib.parse.unquote(name)), "rb") as file:
            return file.read()

    def head(self, status, length, **fields):
        self.send_response(status)
        if length is not None:
            self.send_header("Content-Length", str(length))
        for field, value in fields.items():
            self.send_header(field.replace("_", "-"), value)
        self.end_headers()

    def part(self, data, tag="one"):
        """The head for what was asked, and the bytes that belong after it."""
        asked, condition = self.headers.get("Range"), self.headers.get("If-Range")
        fields = {"ETag": f'"{tag}"'} if tag else {}
        if asked and (condition is None or condition == f'"{tag}"'):
            start = int(asked.split("=")[1].split("-")[0])
            if start >= len(data):
                self.head(416, 0, Content_Range=f"bytes */{len(data)}")
                return b""
            self.head(206, len(data) - start, Content_Range=f"bytes {start}-{len(data) - 1}/{len(data)}", **fields)
            return data[start:]
        self.head(200, len(data), **fields)
        return data

    def drop(self):
        self.close_connection = True
        self.wfile.flush()
        self.connection.shutdown(2)

    def api(self, _, name, count):  # a hub's description of any repository
        self.wfile.write(self.part(self.data("listing.json")))

    def good(self, _, name, count):
        self.wfile.write(self.part(self.data(name)))

    def bare(self, argument, name, count):  # nothing to compare by; cuts the first answer
        rest = self.part(self.data(name), tag=None)
        if count == 1:
            self.wfile.write(rest[: int(argument)])
            return self.drop()
        self.wfile.write(rest)

    def cut(self, argument, name, count):  # breaks off after so many bytes, every time
        self.wfile.write(self.part(self.data(name))[: int(argument)])
        self.drop()

    def deaf(self, argument, name, count):  # ignores Range; cuts the first answer
        data = self.data(name)
        self.head(200, len(data))
        self.wfile.write(data[: int(argument)] if count == 1 else data)
        if count == 1:
            self.drop()

    def swapped(self, argument, name, count):  # another file of the same length lies there after the first cut
        data = self.data(name)
        if count == 1:
            data = bytes(255 - byte for byte in data)
        rest = self.part(data, tag="old" if count == 1 else "new")
        self.wfile.write(rest[: int(argument)] if count == 1 else rest)
        if count == 1:
            self.drop()

    def mixed(self, argument, name, count):  # the same, and the server does not tell
        data = self.data(name)
        if count == 1:
            data = bytes(255 - byte for byte in data)
        rest = self.part(data, tag=None)
        self.wfile.write(rest[: int(argument)] if count == 1 else rest)
        if count == 1:
            self.drop()

    def announce(self, argument, name, count):  # a wrong length
        data = self.data(name)
        length = len(data) + int(argument)
        self.head(200, length)
        self.wfile.write(data[:length])
        self.drop()

    def endless(self, _, name, count):
        self.head(200, None, Transfer_Encoding="chunked")
        try:
            while True:
                self.wfile.write(b"4000\r\n" + bytes(0x4000) + b"\r\n")
        except OSError:
            self.close_connection = True

    def babble(self, argument, name, count):  # an answer of this status that never ends
        self.head(int(argument), None, Transfer_Encoding="chunked", Location="/good/0/file")
        try:
            while True:
                self.wfile.write(b"4000\r\n" + bytes(0x4000) + b"\r\n")
        except OSError:
            self.close_connection = True

    def titles(self, _, name, count):  # a head that never ends
        self.send_response(200)
        self.flush_headers()
        try:
            while True:
                self.wfile.write(b"X-More: " + b"x" * 8000 + b"\r\n")
        except OSError:
            self.close_connection = True

    def stall(self, argument, name, count):  # sends so much, then nothing, the first time
        rest = self.part(self.data(name))
        if count > 1:
            return self.wfile.write(rest)
        self.wfile.write(rest[: int(argument)])
        self.wfile.flush()
        time.sleep(20)
        self.close_connection = True

    def trickle(self, argument, name, count):  # sends so much, then a byte now and then, the first time
        rest = self.part(self.data(name))
        if count > 1:
            return self.wfile.write(rest)
        self.wfile.write(rest[: int(argument)])
        try:
            for place in range(int(argument), len(rest)):
                self.wfile.write(rest[place : place + 1])
                time.sleep(0.3)
        except OSError:
            self.close_connection = True

    def slow(self, argument, name, count):  # so many kilobytes each twentieth of a second
        rest = self.part(self.data(name))
        for place in range(0, len(rest), int(argument) << 10):
            self.wfile.write(rest[place : place + (int(argument) << 10)])
            time.sleep(0.05)

    def busy(self, argument, name, count):  # so many times
        if count <= int(argument):
            return self.head(503, 0)
        self.wfile.write(self.part(self.data(name)))

    def status(self, argument, name, count):
        self.head(int(argument), 0)

    def squeezed(self, _, name, count):
        data = self.data(name)
        self.head(200, len(data), Content_Encoding="gzip")
        self.wfile.write(data)

    def elsewhere(self, argument, name, count):
        self.head(302, 0, Location=f"/{argument}/0/{name}")

    def away(self, argument, name, count):  # to another host, without encryption
        self.head(302, 0, Location=f"http://example.invalid/{name}")

    def beside(self, argument, name, count):  # to another server on this machine
        self.head(302, 0, Location=f"http://127.0.0.1:{argument}/good/0/{name}")

    def circle(self, argument, name, count):
        self.head(302, 0, Location=f"/circle/{int(argument) + 1}/{name}")

    def shifted(self, _, name, count):  # answers a range with another one
        data = self.data(name)
        if self.headers.get("Range"):
            self.head(206, len(data), Content_Range=f"bytes 0-{len(data) - 1}/{len(data)}")
            return self.wfile.write(data)
        self.head(200, len(data), ETag='"one"')
        self.wfile.write(data[:1000])
        self.drop()

    def published(self, argument, name, count):
        data = self.data(name)
        fields = {"X-Linked-ETag": f'"{argument}"', "X-Linked-Size": str(len(data)), "Location": f"/good/0/{name}"}
        self.head(302, 0, **{key.replace("-", "_"): value for key, value in fields.items()})


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass


server = Server(("127.0.0.1", 0), Handler)
if len(sys.argv) > 2:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2], sys.argv[3])
    server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_port, flush=True)
# The test's end closes this pipe, and with it the server.
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
server.serve_forever()
