"""A program whose key may only ask sends two hundred requests of several kinds at once; a person's question is answered beside them."""

import hashlib
import hmac
import json
import socket
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

import place

PACK = "smollm2-135m-instruct-q4_1"
STORY = "Tell me a long story about the sea, with many ships."
CHAT = [{"role": "user", "content": STORY}]
KINDS = (
    ("/v1/chat/completions", {"model": PACK, "messages": CHAT, "max_tokens": 300}),
    ("/v1/responses", {"model": PACK, "input": STORY, "max_output_tokens": 300}),
    ("/v1/messages", {"model": PACK, "messages": CHAT, "max_tokens": 300}),
    ("/api/chat", {"model": PACK, "messages": CHAT, "options": {"num_predict": 300}}),
    ("/api/generate", {"model": PACK, "prompt": STORY, "options": {"num_predict": 300}}),
    ("/v1/completions", {"model": PACK, "prompt": STORY, "max_tokens": 300}),
    ("/api/ask", {"question": STORY}),
    ("/api/search", {"query": "water filter", "limit": 10, "stage": "lexical"}),
)


def enter(page):
    """The secret of a session, made as the page makes it."""
    parts = urllib.parse.urlsplit(page)
    code = parts.fragment.removeprefix("key=")
    ticket = hashlib.sha256(code.encode()).hexdigest()
    request = urllib.request.Request(
        f"http://{parts.netloc}/api/session", json.dumps({"ticket": ticket}).encode(), {"Content-Type": "application/json"})
    urllib.request.urlopen(request).close()
    return hmac.new(code.encode(), b"session", hashlib.sha256).hexdigest()

class CrowdTest(unittest.TestCase):
    def setUp(self):
        self.place = place.Place()
        self.addCleanup(self.place.remove)

    def send(self, port, key, path, body):
        data = json.dumps(body).encode()
        one = socket.create_connection(("127.0.0.1", port))
        self.addCleanup(one.close)
        one.sendall(f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {key}\r\n"
                    f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data)
        return one

    def begun(self, crowd):
        """The statuses of the answers that have begun so far."""
        statuses = []
        for one in crowd:
            one.setblocking(False)
            try:
                statuses.append(int(one.recv(12, socket.MSG_PEEK).split()[1]))
            except (BlockingIOError, IndexError):
                pass
        return statuses

    def test_a_person_is_answered_beside_two_hundred_requests_of_a_program(self):
        address, _ = self.place.serve()
        key = self.place.run("keys", "add", "narrow", "--rights", "ask").strip()
        page = json.loads(self.place.run("serve", "--json"))["page"]
        session, port = enter(page), urllib.parse.urlsplit(page).port
        crowd = [self.send(port, key, *KINDS[number % len(KINDS)]) for number in range(200)]

        body = json.dumps({"question": "How often must the water filter of the boiler be changed?"}).encode()
        question = urllib.request.Request(
            address.rstrip("/") + "/api/ask", body,
            {"Authorization": f"Bearer {session}", "Content-Type": "application/json"})
        with urllib.request.urlopen(question) as answer:
            told = answer.read().decode()
        self.assertIn("4 months", told)

        statuses = self.begun(crowd)
        self.assertLessEqual(set(statuses), {200, 429}, "each is answered or refused by number")
        self.assertGreater(statuses.count(429), 0)
        self.assertLess(len(statuses), 200, "the person did not wait until all of the program's was answered")
        self.assertIsNone(self.place.server.poll(), "the program still runs")
        for one in crowd:
            one.close()
        # What nobody waits for any more is given up, and the program may ask again.
        while True:
            try:
                self.assertEqual(place.fetch(address, key, "/api/ping"), {"ok": True})
                break
            except urllib.error.HTTPError as error:
                self.assertEqual(error.code, 429)
                time.sleep(0.1)

if __name__ == "__main__":
    unittest.main()
