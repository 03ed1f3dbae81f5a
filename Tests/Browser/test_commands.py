"""Commands in the page, by the real program: cards, undo, reminders that fall due, notifications, mail."""

import datetime
import pathlib
import re
import shutil
import stat
import tempfile
import time
import unittest

from selenium.webdriver.common.keys import Keys

import house


def program(folder, name):
    """A small program that writes what it was given into a file beside it."""
    file = folder / name
    file.write_text(f"#!/bin/sh\n{{ printf '%s\\n' \"$@\"; cat; }} >> {folder}/{name}.told\n")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return file


class CommandsTest(house.HouseTest):
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
        self.sees("8:00")
        self.assertEqual(self.files(".ics"), [])
        self.answer("Yes please.")
        self.sees("Done")
        self.assertIn("T200000", self.files(".ics")[0].read_text())
        self.answer("undo that")
        self.sees("Taken back")
        self.wait(lambda: not self.files(".ics"), "the file is gone")
        self.assertEqual(self.all(".turn"), [])

    def test_what_was_done_hears_another_time_and_takes_the_place_of_the_first(self):
        self.say("remind me tomorrow at nine to call the bank")
        self.sees("Done")
        self.answer("actually make that ten")
        self.sees("Do it")
        self.answer("never mind")
        self.sees("9:00")
        self.assertIn("T090000", self.files(".ics")[0].read_text())
        self.answer("change that to ten")
        self.sees("10:00")
        self.answer("yes")
        self.sees("Done")
        self.wait(lambda: [file for file in self.files(".ics") if "T100000" in file.read_text()])
        self.wait(lambda: len(self.files(".ics")) == 1, "the first is taken back")
        self.answer("cancel it")
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

    def test_a_timer_is_listed_sounds_until_it_is_stopped_and_is_not_heard_again(self):
        self.driver.execute_script("const make = AudioContext.prototype.createOscillator; window.tones = 0;"
                                   "AudioContext.prototype.createOscillator = function () { window.tones += 1; return make.call(this); }")
        self.say("set a timer for 12 seconds for the eggs")
        self.sees("Done Timer: eggs, 12 s")
        self.say("how long is left on my timer")
        self.sees("Alarms and timers")
        self.sees("Timer: eggs · ")
        self.clean("alarms-asked")
        self.wait(lambda: self.all(".card.command.notice"), "the timer's card")
        self.sees("Timer: eggs", ".card.command.notice")
        self.wait(lambda: self.driver.execute_script("return window.tones") >= 4, "it sounds")
        self.clean("timer-rings")
        self.wait(lambda: "eggs" in self.desktop.notices(), "the desktop is told")
        self.press("Stop", ".notice button")
        self.wait(lambda: not self.all(".card.command.notice"))
        heard = self.driver.execute_script("return window.tones")
        time.sleep(2.5)
        self.assertEqual(self.driver.execute_script("return window.tones"), heard)
        # While one rings, a word is enough.
        self.say("set a timer for 3 seconds")
        self.wait(lambda: self.all(".card.command.notice"), "the second timer's card")
        self.answer("stop")
        self.wait(lambda: not self.all(".card.command.notice"), "it is stopped")
        # Set, and taken back by its words.
        self.say("weck mich morgen um halb sieben")
        self.sees("Done Alarm, ")
        self.say("stop the alarm")
        self.sees("Stopped: Alarm")
        self.press("Actions", "#rail a")
        self.wait(lambda: "Nothing is open." in self.text("#main"), "nothing stands")

    def test_an_alarm_missed_while_nothing_ran_says_so_and_makes_no_sound(self):
        self.say("set a timer for 4 seconds")
        self.sees("Done Timer, 4 s")
        self.house.stop()
        rings = self.house.folder / "actions/tasks"
        file = next(rings.glob("*.ics"))
        # As if it had been for some minutes ago.
        stamp = re.search(r"DUE[^:]*:(\d{8}T\d{6})", file.read_text()).group(1)
        earlier = (datetime.datetime.strptime(stamp, "%Y%m%dT%H%M%S") - datetime.timedelta(minutes=5)).strftime("%Y%m%dT%H%M%S")
        file.write_text(file.read_text().replace(stamp, earlier))
        self.house.start()
        self.open(self.house.address)
        self.wait(lambda: self.all(".card.command.notice"), "the card")
        self.sees("Missed: it was for", ".card.command.notice")
        self.assertEqual(self.all(".card.command.notice[data-sounds]"), [])
        self.wait(lambda: "Missed: Timer" in self.desktop.notices(), "the desktop is told")
        self.press("Done", ".notice button")
        self.wait(lambda: not self.all(".card.command.notice"))

    def test_a_card_stays_in_its_conversation_and_open_reminders_are_listed(self):
        self.say("remind me tomorrow at seven to call John")
        if not self.files(".ics"):
            self.press("Do it")
        self.sees("Done")
        self.press("New conversation", "#rail a")
        self.wait(lambda: not self.all(".card.command"), "another conversation has no card of this one")
        self.driver.back()
        self.sees("call John")
        # Also for a page that knows nothing any more.
        self.driver.refresh()
        self.wait(lambda: self.all(".card.command"), "the card")
        self.sees("call John")
        self.press("Actions", "#rail a")
        self.wait(lambda: "to come" in self.text("#main"), "the reminder is listed")
        self.clean("actions-open")
        self.driver.execute_script("const s = document.querySelector('[aria-label^=\"Put off\"]'); s.value = '60'; s.dispatchEvent(new Event('change'))")
        self.wait(lambda: "put off" in self.text("#main"), "it is put off")
        self.press("Done: ", "#main button")
        self.wait(lambda: "Nothing is open." in self.text("#main"), "it is done")
        self.assertIn("COMPLETED", self.files(".ics")[0].read_text())

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


class HeatTest(house.HouseTest):
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


if __name__ == "__main__":
    unittest.main()
