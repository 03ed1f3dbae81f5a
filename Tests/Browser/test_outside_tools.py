"""A tool of another program, by the real one: a question to it is a card, and nothing is called before a yes."""

import subprocess
import sys

from selenium.webdriver.common.keys import Keys

import house

# Speaks the protocol as far as one tool needs it.
SERVER = '''
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    method, number, given = asked.get("method"), asked.get("id"), asked.get("params") or {}
    if method == "initialize":
        result = {"protocolVersion": given["protocolVersion"], "capabilities": {"tools": {}, "resources": {}, "prompts": {}}, "serverInfo": {"name": "n", "version": "1"}}
    elif method == "tools/list":
        result = {"tools": [{"name": "find", "title": "Find a note", "description": "Finds notes", "inputSchema": {
            "type": "object", "required": ["words"], "properties": {"words": {"type": "string", "description": "What it holds"}, "most": {"type": "integer"}}}}]}
    elif method == "resources/list":
        result = {"resources": [{"uri": "notes://mill", "name": "mill", "title": "The mill", "mimeType": "text/plain"}]}
    elif method == "resources/read":
        result = {"contents": [{"uri": "notes://mill", "mimeType": "text/plain", "text": "The mill was built in 1623."}]}
    elif method == "prompts/list":
        result = {"prompts": [{"name": "compare", "description": "Compares two", "arguments": [{"name": "first", "required": True}]}]}
    elif method == "prompts/get":
        result = {"messages": [{"role": "user", "content": {"type": "text", "text": f"Compare {given['arguments']['first']}."}}]}
    elif method == "tools/call":
        open("called", "a").write("x")
        result = {"content": [{"type": "text", "text": f"<b>found</b> {json.dumps(given['arguments'], sort_keys=True)}"}]}
    else:
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": number, "result": result}), flush=True)
'''


class OutsideToolsTest(house.HouseTest):
    def setUp(self):
        super().setUp()
        script = self.tools / "notes.py"
        script.write_text(SERVER)
        self.run_tools("add", "notes", "--home", self.house.folder, "--", sys.executable, script)
        self.addCleanup(self.run_tools, "remove", "notes", "--home", self.house.folder)

    def run_tools(self, *words):
        done = subprocess.run([self.house.program, "tools", *map(str, words)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_question_to_a_tool_is_a_card_that_is_changed_called_and_put_away(self):
        # Its name is offered, and chosen by the keyboard.
        field = self.all("#question")[0]
        field.send_keys("@no")
        self.wait(lambda: "@notes" in self.text("#templates"), "the tool server is offered")
        field.send_keys(Keys.TAB)
        self.wait(lambda: field.get_attribute("value") == "@notes ", "its name is written")
        self.say("the plumber")
        self.sees("notes: Find a note")
        self.sees("This program has no network.")
        self.assertEqual(self.all("#tool-words")[0].get_attribute("value"), "the plumber")
        self.clean("tool-card")
        self.all("#tool-most")[0].send_keys("many")
        self.press("Call it")
        self.sees("most")
        field = self.all("#tool-most")[0]
        field.clear()
        field.send_keys("3")
        self.press("Call it")
        # Its words are shown as they came, as a turn of the conversation, and the card is gone.
        words = '<b>found</b> {"most": 3, "words": "the plumber"}'
        self.sees(words)
        self.sees("notes: Find a note")
        self.wait(lambda: not self.all(".card.command"))
        self.clean("tool-outcome")
        self.assertEqual(len(self.all(".turn.you")), 1)
        # It is there when the page is opened again, and in what is saved of it.
        self.open(self.driver.current_url)
        self.driver.refresh()
        self.sees(words)
        self.assertEqual(self.text(".turn.you .said"), "@notes the plumber")
        exported = subprocess.run(
            [self.house.program, "conversations", "export", "--format", "markdown", "--home", self.house.folder],
            capture_output=True, text=True)
        self.assertIn(words, exported.stdout, exported.stderr)
        # A question about it is answered with it, and marked as what a program said.
        self.wait(lambda: self.all("#question"))
        self.answer("What did you find for the plumber?")
        self.sees("Not checked, and not from your documents: what notes: Find a note said")
        self.clean("tool-answer")

    def test_a_text_is_read_and_taken_and_a_prepared_question_is_written(self):
        field = self.all("#question")[0]
        field.send_keys("@notes /")
        self.wait(lambda: "The mill" in self.text("#templates") and "compare" in self.text("#templates"), "what it offers")
        field.send_keys("mill", Keys.TAB)
        self.wait(lambda: field.get_attribute("value") == "@notes /notes://mill", "the text is chosen")
        field.send_keys(Keys.ENTER)
        self.sees("These are words of another program.")
        self.clean("tool-text")
        self.press("Read it here")
        self.sees("The mill was built in 1623.")
        self.wait(lambda: not self.all(".card.command"))
        self.say("@notes /notes://mill")
        self.press("Take it into the library")
        self.sees("It is in the library, and answers may quote it.")
        self.press("Put away")
        self.say("@notes /compare")
        self.all("#prompt-first")[0].send_keys("two mills")
        self.clean("tool-prompt")
        self.press("Write it into the question")
        self.wait(lambda: self.all("#question")[0].get_attribute("value") == "Compare two mills.", "the question is written")

    def test_a_call_can_be_put_away_and_an_unknown_server_is_named(self):
        self.say("@notes the plumber")
        self.press("Cancel")
        self.wait(lambda: not self.all(".card.command"))
        self.answer("@nobody the plumber")
        self.sees("No tool server is called nobody.")
