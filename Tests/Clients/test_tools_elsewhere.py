"""Tool servers made with the Model Context Protocol's own library for Python, spoken to over HTTP by `libera tools`."""

import json
import os
import pathlib
import socket
import subprocess
import sys
import time
import unittest
import uuid

import place

SERVER = pathlib.Path(__file__).with_name("tool_server.py")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def answers(port):
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


class Elsewhere:
    """One of these servers; it begins anew on the same port when it is started again."""

    def __init__(self, form, *key):
        self.port = free_port()
        self.words = [sys.executable, SERVER, str(self.port), form, *key]
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.words)
        while not answers(self.port):
            if self.process.poll() is not None:
                raise AssertionError("the server did not start")
            time.sleep(0.05)

    def stop(self):
        self.process.terminate()
        self.process.wait()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/mcp"


class ToolsElsewhereTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = place.Place()
        cls.addClassCleanup(cls.place.remove)
        cls.servers = {form: Elsewhere(form, "the-key") for form in ("events", "json")}
        for server in cls.servers.values():
            cls.addClassCleanup(server.stop)
        key = cls.place.home / "key"
        key.write_text("the-key\n")
        cls.added = cls.lines("tools", "add", "events", "--url", cls.servers["events"].url, "--key-file", key, "--json")
        cls.lines("tools", "add", "json", "--url", cls.servers["json"].url, "--key-env", "WIKI_KEY", "--json")
        cls.lines("tools", "add", "nokey", "--url", cls.servers["json"].url, "--json")
        cls.lines("tools", "add", "nobody", "--url", f"http://127.0.0.1:{free_port()}/mcp", "--json")
        cls.place.serve()

    @classmethod
    def run_words(cls, *words):
        return subprocess.run(
            cls.place.words(*words), capture_output=True, text=True, env={**os.environ, "WIKI_KEY": "the-key"})

    @classmethod
    def lines(cls, *words):
        done = cls.run_words(*words)
        if done.returncode:
            raise AssertionError(done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def call(self, server, words, tool=None, values=None):
        more = (["--tool", tool] if tool else []) + (["--values", json.dumps(values)] if values else [])
        return self.lines("tools", "do", server, words, "--yes", "--json", *more)

    def test_what_is_added_is_listed_with_its_tools_and_without_its_key(self):
        self.assertEqual([tool["name"] for tool in self.added[0]["tools"]], ["search_notes", "add_numbers", "reach", "slow"])
        self.assertEqual((self.added[0]["address"], self.added[0]["network"]), (self.servers["events"].url, True))
        listed = self.run_words("tools", "list", "--json").stdout
        self.assertEqual(len(listed.splitlines()), 4)
        self.assertNotIn("the-key", listed)

    def test_tools_are_called_by_either_form_of_answer(self):
        for server in ("events", "json"):
            card = self.lines("tools", "do", server, "find the note about the plumber", "--json")[0]
            self.assertEqual((card["tool"]["name"], card["asks"], card["network"]), ("search_notes", True, True))
            self.assertEqual(self.call(server, "", "add_numbers", {"first": "19", "second": "23"})[-1]["outcome"]["text"], "42")

    def test_it_tells_how_far_it_is(self):
        told = self.call("events", "", "slow", {"steps": "3"})
        self.assertEqual([line.get("told") for line in told], ["33 %", "67 %", "100 %", None])
        self.assertEqual(told[-1]["outcome"]["text"], "there")

    def test_texts_are_read_and_taken_and_prepared_questions_filled_in(self):
        listed = self.lines("tools", "list", "events", "--json")[0]
        self.assertEqual([(one["uri"], one["title"]) for one in listed["resources"]], [("notes://boiler", "The boiler")])
        self.assertEqual([[one["name"], one["required"]] for one in listed["prompts"][0]["arguments"]], [["first", True], ["second", False]])
        talk = str(uuid.uuid4())
        told = self.lines("tools", "read", "events", "notes://boiler", "--conversation", talk, "--json")
        self.assertIn("serviced in May", told[0]["outcome"]["text"])
        self.assertEqual(self.lines("conversations", "show", talk, "--json")[0]["turns"][0]["call"]["title"], "The boiler")
        asked = self.run_words("tools", "import", "events", "notes://boiler", "--json")
        self.assertIn("before you have agreed", asked.stderr)
        taken = self.lines("tools", "import", "events", "notes://boiler", "--yes", "--collection", "notes", "--json")
        self.assertEqual(taken[-1]["imported"], 1)
        self.assertIn("boiler.md", self.run_words("documents", "list", "--collection", "notes").stdout)
        filled = self.lines("tools", "prompt", "events", "compare", "--values", '{"first": "the boiler"}', "--json")
        self.assertEqual(filled[0]["text"], "Compare the boiler with nothing.")
        self.assertIn("first", self.run_words("tools", "prompt", "events", "compare").stderr)

    def test_a_server_that_began_anew_is_greeted_anew(self):
        self.assertEqual(self.call("events", "", "add_numbers", {"first": "1", "second": "1"})[-1]["outcome"]["text"], "2")
        self.servers["events"].stop()
        self.servers["events"].start()
        failed = self.run_words("tools", "do", "events", "", "--tool", "add_numbers", "--values", '{"first": "1", "second": "2"}', "--yes")
        self.assertIn("has forgotten this session", failed.stderr)
        self.assertEqual(self.call("events", "", "add_numbers", {"first": "1", "second": "2"})[-1]["outcome"]["text"], "3")

    def test_what_does_not_answer_says_why(self):
        for server, why in (("nokey", "does not accept the key, or wants one"), ("nobody", "cannot be reached")):
            failed = self.run_words("tools", "do", server, "x")
            self.assertEqual(failed.returncode != 0, True)
            self.assertIn(why, failed.stderr)

    def test_keys_and_addresses_are_looked_at_before_anything_is_kept(self):
        for words in (
            ("--url", "http://wiki.example/mcp"),
            ("--url", "https://user:key@wiki.example/mcp"),
            ("--url", "https://wiki.example/mcp", "--key-env", "NOT_THERE_AT_ALL"),
            ("--url", "https://wiki.example/mcp", "--key-file", "/nowhere/key"),
            ("--url", "https://wiki.example/mcp", "--write", "/tmp"),
        ):
            self.assertNotEqual(self.run_words("tools", "add", "odd", *words).returncode, 0, words)
        self.assertNotIn("odd", self.run_words("tools", "list", "--json").stdout)

    def test_offline_is_obeyed(self):
        self.run_words("settings", "set", "offline", "true")
        self.addCleanup(self.run_words, "settings", "set", "offline", "false")
        failed = self.run_words("tools", "do", "json", "plumber", "--tool", "search_notes", "--yes")
        self.assertNotEqual(failed.returncode, 0)
        self.assertIn("offline", failed.stderr.lower())
