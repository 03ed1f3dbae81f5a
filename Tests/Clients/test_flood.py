"""Ten thousand connections at once to the real program, silent or half-spoken; a person is answered all the while."""

import resource
import socket
import unittest

import place

CROWD = 10_000
BEGINNINGS = (b"", b"GET ", b"GET / HTTP/1.1\r\nHost: ", b"POST /api/ask HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n{")


class FloodTest(unittest.TestCase):
    def setUp(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if hard != resource.RLIM_INFINITY and hard < CROWD + 500:
            self.skipTest(f"a process may have {hard} open files here")
        resource.setrlimit(resource.RLIMIT_NOFILE, (CROWD + 500, hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        self.place = place.Place()
        self.addCleanup(self.place.remove)

    def test_ten_thousand_connections_shut_nobody_out(self):
        address, key = self.place.serve()
        port = int(address.rstrip("/").rsplit(":", 1)[1])
        crowd = []
        self.addCleanup(lambda: [one.close() for one in crowd])
        for number in range(CROWD):
            one = socket.socket()
            crowd.append(one)
            one.settimeout(20)
            one.connect(("127.0.0.1", port))
            try:
                one.sendall(BEGINNINGS[number % len(BEGINNINGS)])
            except OSError:
                pass  # it was sent away already, as it should be
            if number % 1000 == 999:
                self.assertEqual(place.fetch(address, key, "/api/ping"), {"ok": True}, f"beside {number + 1}")
        self.assertIn("ask", place.fetch(address, key, "/api")["operations"])
        for one in crowd:
            one.close()
        self.assertEqual(place.fetch(address, key, "/api/ping"), {"ok": True})
        self.assertIsNone(self.place.server.poll(), "the program still runs")


if __name__ == "__main__":
    unittest.main()
