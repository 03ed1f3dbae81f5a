"""Commands in the page, by the real program: cards, undo, reminders that fall due, notifications, mail, attached files.

Screenshots go to LIBERA_SHOTS.
"""

import json
import os
import pathlib
import shutil
import stat
import tempfile
import time
import unittest

from axe_core_python.selenium import Axe
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

import stage


def program(folder, name):
    """A small program that writes what it was given into a file beside it."""
    file = folder / name
    file.write_text(f"#!/bin/sh\n{{ printf '%s\\n' \"$@\"; cat; }} >> {folder}/{name}.told\n")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return file


class HouseTest(unittest.TestCase):
    """One house and one browser a test."""

    options = ()

    def setUp(self):
        self.tools = pathlib.Path(tempfile.mkdtemp(prefix="libera-tools-"))
        self.addCleanup(shutil.rmtree, self.tools)
        self.desktop = stage.Desktop()
        self.addCleanup(self.desktop.close)
        self.house = stage.House(*self.options)
        self.addCleanup(self.house.close)
        self.driver = stage.browser()
        self.addCleanup(self.driver.quit)
        self.open(self.house.address)

    # Small steps

    def open(self, address):
        self.driver.get(address)
        self.wait(lambda: self.all("#question"), "the page")

    def wait(self, condition, message=""):
        return WebDriverWait(self.driver, 90, poll_frequency=0.05).until(lambda _: condition(), message)

    def all(self, css):
        return self.driver.find_elements(By.CSS_SELECTOR, css)

    def text(self, css):
        return self.driver.execute_script("return document.querySelector(arguments[0])?.innerText ?? ''", css)

    def sees(self, words, css=".commands"):
        self.wait(lambda: words in self.text(css), f"“{words}” in {css}")

    def say(self, words):
        self.wait(lambda: self.all("#question"))
        self.all("#question")[0].send_keys(words, Keys.ENTER)
        self.wait(lambda: self.all(".card.command .command-words"), words)

    def answer(self, words):
        """Said to the card that waits."""
        self.all("#question")[0].send_keys(words, Keys.ENTER)

    def press(self, words, css=".commands button"):
        script = ("const one = [...document.querySelectorAll(arguments[1])].find(one => "
                  "((one.innerText ?? '') + (one.ariaLabel ?? '')).includes(arguments[0]) && !one.disabled);"
                  "one?.click(); return Boolean(one)")
        self.wait(lambda: self.driver.execute_script(script, words, css), words)

    def files(self, kind):
        folder = self.house.folder / "actions"
        return [file for file in folder.rglob("*") if file.is_file() and file.suffix == kind] if folder.exists() else []

    def told(self, name):
        file = self.tools / f"{name}.told"
        return file.read_text() if file.exists() else ""

    def clean(self, name):
        found = Axe().run(self.driver)["violations"]
        self.assertEqual([f"{one['id']}: {[node['html'][:120] for node in one['nodes'][:3]]}" for one in found], [], name)
        self.driver.save_screenshot(str(stage.SHOTS / f"{name}.png"))


class CommandsTest(HouseTest):
    def test_a_command_is_changed_done_and_taken_back(self):
        self.say("dinner with Anna friday at 8")
        if not self.files(".ics"):
            self.press("Change")
            self.wait(lambda: self.all(".command form input"))
            self.clean("command-form")
            title = self.all("#edit-title")[0]
            title.clear()
            title.send_keys("dinner with Anna and Ben")
            self.press("Do it")
        self.sees("Done")
        self.wait(lambda: len(self.files(".ics")) == 1)
        self.clean("command-done")
        self.press("Undo")
        self.sees("Taken back")
        self.wait(lambda: not self.files(".ics"), "the file is gone")
        self.press("Put away")
        self.wait(lambda: not self.all(".card.command"))

    def test_a_changed_card_does_what_was_changed_and_cancelling_does_nothing(self):
        # Mail always asks; without a program that sends it, it becomes a draft.
        self.say("send an email to bob@example.org saying the meeting is moved to friday")
        self.press("Cancel")
        self.wait(lambda: not self.all(".card.command"))
        self.assertFalse((self.house.folder / "actions/mail").exists())
        self.say("send an email to bob@example.org saying the meeting is moved to friday")
        self.press("Change")
        self.wait(lambda: self.all("#edit-subject"))
        self.all("#edit-subject")[0].send_keys("The meeting")
        self.clean("mail-form")
        self.press("Do it")
        self.sees("Done")
        drafts = [file.read_text() for file in (self.house.folder / "actions/mail").rglob("*") if file.is_file()]
        self.assertEqual(len(drafts), 1)
        self.assertIn("Subject: The meeting", drafts[0])
        self.press("Undo")
        self.sees("Taken back")
        self.assertFalse([file for file in (self.house.folder / "actions/mail").rglob("*") if file.is_file()])

    def test_a_card_hears_no_another_time_yes_and_undo(self):
        self.say("send an email to bob@example.org saying the meeting is moved to friday")
        self.answer("Never mind.")
        self.wait(lambda: not self.all(".card.command"))
        self.assertFalse((self.house.folder / "actions/mail").exists())
        self.say("remind me at noon and again at 5 to stretch")
        self.answer("no, make it eight in the evening")
        self.sees("20:00")
        self.assertEqual(self.files(".ics"), [])
        self.answer("Yes please.")
        self.sees("Done")
        self.assertIn("T200000", self.files(".ics")[0].read_text())
        self.answer("undo that")
        self.sees("Taken back")
        self.wait(lambda: not self.files(".ics"), "the file is gone")
        self.assertEqual(self.all(".turn"), [])

    def test_a_wish_to_cancel_shows_what_can_be_taken_back(self):
        self.say("remind me tomorrow at seven to call John")
        if not self.files(".ics"):
            self.press("Do it")
        self.sees("Done")
        self.press("Put away")
        self.wait(lambda: not self.all(".card.command"))
        self.say("cancel my reminder to call John")
        self.sees("call John")
        self.clean("command-cancel")
        self.press("Take it back")
        self.sees("Taken back")
        self.wait(lambda: not self.files(".ics"), "the file is gone")

    def test_two_commands_in_one_breath_are_two_cards(self):
        self.say("remind me tomorrow at nine to buy flowers. Also schedule lunch with Ann on Friday at noon.")
        self.wait(lambda: len(self.all(".card.command")) == 2)
        self.sees("Reminder: buy flowers")
        self.sees("Event: lunch with Ann")

    def test_a_reminder_rings_once_is_snoozed_and_done(self):
        self.say("remind me in 6 seconds to turn off the stove")
        if not self.files(".ics"):
            self.press("Do it")
        self.sees("Done")
        self.wait(lambda: self.all(".card.command.notice"), "the reminder's card")
        self.sees("Reminder: turn off the stove")
        self.clean("reminder")
        self.wait(lambda: "turn off the stove" in self.desktop.notices(), "the desktop is told")
        self.assertEqual(self.desktop.notices().count("turn off the stove"), 1)
        self.press("In 10 minutes", ".notice button")
        self.wait(lambda: not self.all(".card.command.notice"))
        self.assertIn("snoozed", (self.house.folder / "actions/rings.jsonl").read_text())

    def test_what_fell_due_meanwhile_is_shown_at_the_next_start_once(self):
        self.say("remind me in 5 seconds to water the plants")
        if not self.files(".ics"):
            self.press("Do it")
        self.sees("Done")
        self.house.stop()
        time.sleep(6)
        self.house.start()
        self.open(self.house.address)
        self.wait(lambda: self.all(".card.command.notice"), "the reminder's card")
        self.sees("Reminder: water the plants")
        self.wait(lambda: "water the plants" in self.desktop.notices())
        self.press("Done", ".notice button")
        self.wait(lambda: not self.all(".card.command.notice"))
        self.house.stop()
        self.house.start()
        self.open(self.house.address)
        time.sleep(2)
        self.assertEqual(self.all(".card.command.notice"), [])
        self.assertEqual(self.desktop.notices().count("water the plants"), 1)

    def test_confirmed_mail_is_given_to_the_program_that_sends_it(self):
        sendmail = program(self.tools, "sendmail")
        for name, value in (("sendmail", f"{sendmail} -t"), ("mailFrom", "Ada <ada@example.org>"), ("mailUndoSeconds", "2")):
            self.assertEqual(self.house.run("settings", "set", name, value).returncode, 0)
        self.say("send an email to bob@example.org saying the meeting is moved to friday")
        self.press("Do it")
        self.sees("Goes soon")
        self.clean("mail-waits")
        self.wait(lambda: "bob@example.org" in self.told("sendmail"), "the mail program got it")
        self.assertTrue(self.told("sendmail").startswith("-t\n"))
        self.assertIn("From: \"Ada\" <ada@example.org>", self.told("sendmail"))
        self.assertIn("moved to friday", self.told("sendmail").lower())
        time.sleep(1)
        self.assertEqual(self.told("sendmail").count("To: bob@example.org"), 1)

    def test_mail_taken_back_in_time_never_leaves(self):
        sendmail = program(self.tools, "sendmail")
        for name, value in (("sendmail", f"{sendmail} -t"), ("mailFrom", "Ada <ada@example.org>"), ("mailUndoSeconds", "30")):
            self.assertEqual(self.house.run("settings", "set", name, value).returncode, 0)
        self.say("send an email to bob@example.org saying the meeting is moved to friday")
        self.press("Do it")
        self.sees("Goes soon")
        self.press("Undo")
        self.sees("Taken back")
        self.assertEqual(self.told("sendmail"), "")


class HeatTest(HouseTest):
    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="libera-heat-"))
        cls.addClassCleanup(shutil.rmtree, folder)
        (folder / "hot.jsonl").write_text('{"t_ms": 0, "thermal": "serious"}\n')
        cls.options = ("--simulate", str(folder / "hot.jsonl"))

    def test_what_heat_takes_away_is_seen_with_its_reason(self):
        self.sees("warm: shorter answers", "#strip")
        self.driver.execute_script("document.querySelector('[aria-label=\"Kind of question\"]').value = 'talk'")
        self.all("#question")[0].send_keys("Tell a story about a ship.", Keys.ENTER)
        self.sees("limits in force", ".turn.answer .facts")
        self.press("limits in force", ".facts button")
        self.sees("ongest answer in tokens", "dialog")
        self.sees("the device is hot", "dialog")
        self.clean("heat-limits")
        self.press("Close", "dialog button")
        self.press("warm: shorter answers", "#strip button")
        self.sees("Heat", "dialog")
        self.clean("heat-why")


class AttachmentsTest(HouseTest):
    SECRET = "Zwiebelturm"

    def lease(self):
        file = self.tools / "Lease of the old mill.md"
        file.write_text(f"# Lease\n\nThe monthly rent of the old mill at {self.SECRET} is 940 euros.\n\nDogs are not allowed.\n")
        return file

    def holding(self, word):
        """The files of the house in which a word stands."""
        return [str(file) for file in self.house.folder.rglob("*")
                if file.is_file() and "packs" not in file.parts and word.encode() in file.read_bytes()]

    def test_an_attached_file_is_asked_listed_and_gone_with_its_conversation(self):
        self.all(".composer input[type=file]")[1].send_keys(str(self.lease()))
        self.sees("Lease of the old mill", ".composer .attached")
        self.wait(lambda: self.text(".composer .attached li .small") == "", "it is read")
        self.clean("attached")
        self.all("#question")[0].send_keys("How much is the rent?", Keys.ENTER)
        self.wait(lambda: self.all(".turn.answer .facts span"), "the answer")
        self.wait(lambda: "940" in self.text(".turn.answer"))
        self.sees("Lease of the old mill", ".turn.you .attached")
        self.assertFalse(self.all(".composer .attached")[0].is_displayed())
        self.clean("attached-answer")
        talk = self.driver.current_url
        # It is in no library and no other conversation.
        self.driver.get(talk.split("#")[0] + "#/library")
        self.wait(lambda: self.all(".empty"), "an empty library")
        self.driver.get(talk.split("#")[0] + "#/new")
        self.wait(lambda: self.all("#question"))
        self.all("#question")[0].send_keys("How much is the rent of the old mill?", Keys.ENTER)
        self.wait(lambda: self.all(".turn.answer .facts span"))
        self.assertNotIn("940", self.text(".turn.answer"))
        # After a reload it still stands with its message.
        self.driver.get(talk)
        self.driver.refresh()
        self.sees("Lease of the old mill", ".turn.you .attached")
        self.assertTrue(self.holding(self.SECRET))
        self.press("More for How much is the rent?", "#rail button")
        self.press("Remove", "dialog button")
        self.wait(lambda: self.all("#sure"))
        self.all("#sure")[0].click()
        self.press("Remove", "dialog button.danger")
        self.wait(lambda: "How much is the rent?" not in self.text("#rail"))
        self.wait(lambda: not self.holding(self.SECRET), "nothing of it is left")

    def test_files_are_attached_by_dropping_and_pasting_and_taken_away(self):
        script = """
          const [kind, name, text] = arguments;
          const data = new DataTransfer();
          data.items.add(new File([text], name, { type: 'text/plain' }));
          const field = document.querySelector('#question');
          field.dispatchEvent(kind === 'paste' ? new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
            : new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));"""
        self.driver.execute_script(script, "drop", "dropped.txt", f"The {self.SECRET} opens at nine.")
        self.driver.execute_script(script, "paste", "pasted.txt", "The shop opens at ten.")
        self.sees("dropped.txt", ".composer .attached")
        self.sees("pasted.txt", ".composer .attached")
        self.wait(lambda: len(self.all(".composer .attached li")) == 2 and "read" not in self.text(".composer .attached"))
        self.press("Take dropped.txt away", ".attached button")
        self.wait(lambda: len(self.all(".composer .attached li")) == 1)
        self.wait(lambda: not self.holding(self.SECRET))
        # What cannot be read says so and is left behind.
        self.driver.execute_script(script, "drop", "broken.pdf", "%PDF-1.7 no more")
        self.wait(lambda: self.all(".composer .attached li.failed"), "the failure")
        self.clean("attachment-failed")


if __name__ == "__main__":
    unittest.main()
