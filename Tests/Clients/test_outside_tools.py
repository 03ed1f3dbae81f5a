"""Tool servers made with the Model Context Protocol's own library for Python, unchanged, called by `libera tools`."""

import json
import pathlib
import subprocess
import sys
import unittest
import uuid

import place

SERVER = pathlib.Path(__file__).with_name("tool_server.py")


class OutsideToolsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = place.Place()
        cls.addClassCleanup(cls.place.remove)
        cls.added = cls.lines("tools", "add", "notes", "--json", "--", sys.executable, SERVER)
        cls.lines("tools", "add", "net", "--network", "--json", "--", sys.executable, SERVER)
        cls.place.serve()

    @classmethod
    def lines(cls, *words):
        # What follows -- is the server's, so the home stands before.
        at = words.index("--") if "--" in words else len(words)
        command = [place.PROGRAM, *words[:at], "--home", cls.place.home, *words[at:]]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        if done.returncode:
            raise AssertionError(done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def call(self, server, words, tool=None, values=None):
        more = (["--tool", tool] if tool else []) + (["--values", json.dumps(values)] if values else [])
        return self.lines("tools", "do", server, words, "--yes", "--json", *more)

    def test_what_is_added_is_listed_with_its_tools(self):
        self.assertEqual([tool["name"] for tool in self.added[0]["tools"]], ["search_notes", "add_numbers", "reach", "slow"])
        self.assertNotIn("failure", self.added[0])
        self.assertEqual([one["name"] for one in self.lines("tools", "list", "--json")], ["net", "notes"])

    def test_words_choose_the_tool_and_are_shown_before_anything_is_called(self):
        card = self.lines("tools", "do", "notes", "find the note about the plumber", "--json")[0]
        self.assertEqual((card["tool"]["name"], card["asks"]), ("search_notes", True))
        self.assertIn("Ann Miller", self.call("notes", "find notes that hold plumber")[-1]["outcome"]["text"])

    def test_fields_are_filled_in_and_checked(self):
        values = {"first": "19", "second": "23"}
        self.assertEqual(self.call("notes", "", "add_numbers", values)[-1]["outcome"]["text"], "42")
        with self.assertRaises(AssertionError) as caught:
            self.call("notes", "", "add_numbers", {"first": "many", "second": "23"})
        self.assertIn("first", str(caught.exception))

    def test_its_reach_is_what_was_granted(self):
        secret = self.place.home / "boiler.md"
        self.assertRegex(self.call("notes", str(secret), "reach")[-1]["outcome"]["text"], "^no network: .*, reads not$")
        self.assertEqual(self.call("net", str(secret), "reach")[-1]["outcome"]["text"], "network, reads not")
        self.assertEqual(self.call("notes", str(SERVER), "reach")[-1]["outcome"]["text"][-5:], "reads")

    def test_what_it_said_is_kept_with_a_conversation_and_asked_about(self):
        talk = str(uuid.uuid4())
        told = self.lines("tools", "do", "notes", "plumber", "--tool", "search_notes", "--yes", "--conversation", talk, "--json")
        turn = self.lines("conversations", "show", talk, "--json")[0]["turns"][0]
        self.assertEqual(turn["id"], told[-1]["kept"])
        self.assertEqual((turn["question"], turn["call"]["tool"]), ("@notes plumber", "search_notes"))
        self.assertEqual(turn["answer"], told[-2]["outcome"]["text"])
        # The library of one document holds the answer to another question; this one is about what the tool said.
        pipe = subprocess.run(
            self.place.words("chat", "--conversation", talk, "--provider", "extractive"), input="Who is the plumber?\n", capture_output=True,
            text=True)
        self.assertIn("Not from your documents, but from what notes: search_notes said:", pipe.stdout, pipe.stderr)
        self.assertIn("Ann Miller", pipe.stdout)

    def test_it_tells_how_far_it_is(self):
        told = self.call("notes", "", "slow", {"steps": "3"})
        self.assertEqual(told[0]["told"], "33 %")
        self.assertEqual(told[-1]["outcome"]["text"], "there")

    def test_a_tool_that_was_allowed_acts_unasked(self):
        self.lines("tools", "allow", "notes", "search_notes", "--json")
        told = self.lines("tools", "do", "notes", "boiler", "--tool", "search_notes", "--json")
        self.assertIn("May", told[-1]["outcome"]["text"])
        self.lines("tools", "ask-first", "notes", "search_notes", "--json")
        self.assertIn("asks", self.lines("tools", "do", "notes", "boiler", "--tool", "search_notes", "--json")[0])
