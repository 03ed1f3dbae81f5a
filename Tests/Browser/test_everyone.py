"""The page by ear, by keyboard, by finger and magnified; and what it shows while an answer is made."""

import pathlib
import signal
import tempfile
import unittest

from selenium.webdriver.common.keys import Keys

import stage
from page import Page


class EveryoneTest(Page):
    def said(self):
        return self.text("#announce")

    def focused(self):
        return self.driver.execute_script("return document.activeElement.localName")

    def test_every_kind_of_answer_is_announced_once(self):
        for question, words in (("When must the filter be changed?", "Answer: Every six months"), ("What is on the moon?", "Answer: Your documents do not answer this")):
            self.ask(question, until="passages")
            self.wait(lambda: words in self.said(), words)
            self.assertEqual(self.said().count(words), 1)
        self.hit("Answer without documents", ".turn.answer button")
        words = "Answer, Not checked: Every six months"
        self.wait(lambda: words in self.said(), words)
        self.assertIn("3 passages found", self.said())

    def test_an_answer_shows_what_is_done_in_its_place_and_can_be_stopped_or_quoted(self):
        self.ask("A patient filter question", until=None)
        # Looking, found, and how much of the prompt is read before the first word.
        self.sees("3 passages found, reading 1,412 tokens", ".made")
        self.assertIn("reading 1,412 tokens", self.text("#strip"))
        self.wait(lambda: "reading 1,412 tokens" in self.said())
        self.assertLess(self.said().index("looking"), self.said().index("3 passages found"))
        self.assertRegex(self.text(".made"), r"\d:\d\d")
        self.clean("being-made")
        self.shot("being-made")
        self.hit("Show the quotations now", ".made button")
        self.sees("2 of 2")
        self.wait(lambda: "Quotations" in self.text(".turn.answer .facts"))
        self.assertFalse(self.all(".made"))
        self.ask("Another patient question", until=None)
        self.sees("3 passages found", ".made")
        self.hit("Stop", ".made button")
        self.wait(lambda: "stopped" in self.all(".turn.answer")[-1].text)
        self.assertFalse(self.all(".made"))

    def test_focus_never_falls_to_the_body(self):
        self.ask("When must the filter be changed?")
        self.hit("Answer again")
        self.wait(lambda: "2 of 2" in self.text())
        self.wait(lambda: "tok/s" in self.all(".turn.answer")[-1].text)
        for _ in range(2):
            self.hit("Earlier version" if _ == 0 else "Later version")
            self.wait(lambda: self.focused() == "button", "a version's button has the focus")
        self.hit("More for When must")
        self.hit("Remove", "dialog button")
        self.one("#sure").click()
        self.named("Remove", "dialog button.danger").click()
        self.wait(lambda: not self.all("dialog"))
        self.wait(lambda: self.focused() != "body")

    def test_a_drawer_and_a_sheet_hold_the_focus_and_escape_leaves_them(self):
        stage.size(self.driver, 360, 740)
        self.ask("When must the filter be changed?")
        self.click("#menu")
        inside = "return document.querySelector(arguments[0]).contains(document.activeElement)"
        for _ in range(14):
            self.press(Keys.TAB)
            out = self.driver.execute_script("return document.activeElement !== document.body && !document.querySelector('#rail').contains(document.activeElement)")
            self.assertFalse(out, "the drawer holds the focus")
        self.clean("drawer")
        self.press(Keys.ESCAPE)
        self.wait(lambda: self.focus().get_attribute("id") == "menu")
        self.click(".chips button")
        self.one(".evidence img")
        self.assertTrue(self.driver.execute_script(inside, "#evidence"))
        for _ in range(8):
            self.press(Keys.TAB)
            out = self.driver.execute_script("return document.activeElement !== document.body && !document.querySelector('#evidence').contains(document.activeElement)")
            self.assertFalse(out, "the sheet holds the focus")
        self.press(Keys.ESCAPE)
        self.wait(lambda: not self.one("#evidence").is_displayed())
        self.assertFalse(self.driver.execute_script("return document.querySelector('#main').inert"))
        # A sheet over a window that grows becomes a column beside the rest.
        self.click(".chips button")
        self.one(".evidence img")
        stage.size(self.driver, 1440, 900)
        self.wait(lambda: not self.one("#scrim").is_displayed() and not self.driver.execute_script("return document.querySelector('#main').inert"))

    def test_conversations_are_one_stop_and_arrows_move_between_them(self):
        for question in ("First filter?", "Second filter?", "Third filter?"):
            self.go("new")
            self.ask(question)
        self.wait(lambda: len(self.all("#rail li.talk")) >= 3)
        stops = "return [...document.querySelectorAll('#talks a, #talks li button')].filter(one => one.tabIndex === 0).length"
        self.assertEqual(self.driver.execute_script(stops), 1)
        self.driver.execute_script("document.querySelector('#talks [tabindex=\"0\"]').focus()")
        before = self.focus().text
        self.press(Keys.ARROW_DOWN)
        self.assertNotEqual(self.focus().text, before)
        self.press(Keys.ARROW_RIGHT)
        self.assertIn("More for", self.focus().get_attribute("aria-label"))
        self.press(Keys.ARROW_LEFT, Keys.HOME)
        self.assertEqual(self.focus().tag_name, "a")
        self.assertEqual(self.driver.execute_script(stops), 1)
        self.assertIn("Third", self.driver.title)

    def test_a_pinned_conversation_stands_above_the_others_and_stays_there(self):
        for question in ("Pinned filter?", "Another filter?"):
            self.go("new")
            self.ask(question)
        self.wait(lambda: "Pinned filter?" in self.text("#talks"))
        self.addCleanup(self.driver.execute_script, "localStorage.removeItem('pinned')")
        first = lambda: self.driver.execute_script("return [document.querySelector('#talks h2').innerText, document.querySelector('#talks li').innerText.trim()]")
        self.assertNotEqual(first()[1], "Pinned filter?")
        self.hit("More for Pinned filter?")
        self.hit("Pin", "dialog button")
        self.wait(lambda: first() == ["Pinned", "Pinned filter?"])
        self.driver.refresh()
        self.wait(lambda: self.all("#talks li") and first() == ["Pinned", "Pinned filter?"])
        self.hit("More for Pinned filter?")
        self.clean("pinned")
        self.hit("Unpin", "dialog button")
        self.wait(lambda: first()[0] != "Pinned")

    def test_a_conversation_is_printed_whole_and_dark_on_light(self):
        self.ask("When must the filter be changed?")
        self.go("new")
        stage.appearance(self.driver, dark=True)
        self.driver.execute_script("window.print = () => { window.printed = document.querySelectorAll('.turn.answer .words > *').length }")
        self.hit("More for When must")
        self.hit("Print", "dialog button")
        self.wait(lambda: self.driver.execute_script("return window.printed > 0"))
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": [{"name": "prefers-color-scheme", "value": "dark"}]})
        self.addCleanup(self.driver.execute_cdp_cmd, "Emulation.setEmulatedMedia", {"media": ""})
        told = self.driver.execute_script(
            "const seen = (css) => document.querySelector(css)?.checkVisibility() ?? false;"
            "return [getComputedStyle(document.querySelector('.words')).color, seen('.rail'), seen('.composer'), seen('.turn .who button'), seen('.turn.answer .words')]")
        self.assertEqual(told, ["rgb(0, 0, 0)", False, False, False, True])

    def test_fingers_have_room_and_nothing_is_squeezed(self):
        self.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
        self.addCleanup(self.driver.execute_cdp_cmd, "Emulation.setTouchEmulationEnabled", {"enabled": False})
        stage.size(self.driver, 360, 740)
        self.driver.refresh()
        self.go("new")
        self.ask("When must the filter be changed?")
        self.assertTrue(self.driver.execute_script("return matchMedia('(pointer: coarse)').matches"))
        script = """return [...document.querySelectorAll('button, select, a.place, .modes label, input[type=text]')].filter(one => one.checkVisibility({ visibilityProperty: true }) && !one.matches('.numeral, .skip'))
          .map(one => [one.getAttribute('aria-label') || one.innerText || one.localName, one.getBoundingClientRect()]).filter(([, box]) => box.width && (box.height < 43.5 || box.width < 43.5)).map(([name, box]) => `${name} ${box.width}x${box.height}`)"""
        for screen in ("new", "library", "packs", "settings", "data", "actions", "diagnostics", "d/c2"):
            if screen != "new":
                self.go(screen)
            self.assertEqual(self.driver.execute_script(script), [], screen)
            # A choice shows more than a letter of what is chosen.
            self.assertEqual(self.driver.execute_script(
                "return [...document.querySelectorAll('select')].filter((one) => one.checkVisibility({ visibilityProperty: true }) && one.offsetWidth <= 90).map((one) => one.id)"), [], screen)

    def test_magnified_four_times_the_transcript_has_the_greater_part(self):
        stage.size(self.driver, 320, 256)
        self.ask("When must the filter be changed?")
        self.assertGreater(self.driver.execute_script("return document.querySelector('.scroll').clientHeight"), 128)
        self.assertLessEqual(self.driver.execute_script("return document.documentElement.scrollWidth - innerWidth"), 0)
        self.clean("four-times")
        self.shot("four-times")

    def test_without_scripts_the_page_says_what_it_needs(self):
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        try:
            self.driver.refresh()
            card = self.one("noscript .card")
            self.assertTrue(card.is_displayed() and 0 < card.rect["y"] < 500, card.rect)
            self.shot("no-scripts")
        finally:
            self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})

    def test_peoples_words_run_their_own_way(self):
        self.ask("arabic please")
        missing = "return [...document.querySelectorAll('#question, .said, #rail .talk .ellipsis, .chips .ellipsis')].filter(one => one.dir !== 'auto').length"
        self.assertEqual(self.driver.execute_script(missing), 0)

    def test_an_answer_is_read_aloud_when_asked_for_and_silent_when_asked_again(self):
        self.driver.execute_script("""
          window.heard = [];
          window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
          const voice = { speaking: false, getVoices: () => [{ localService: true, lang: 'en' }],
            speak(said) { heard.push(said.text); this.speaking = true; this.end = () => { this.speaking = false; said.onend(); }; },
            cancel() { this.end?.(); this.end = null; } };
          Object.defineProperty(window, 'speechSynthesis', { value: voice, configurable: true });""")
        self.ask("When must the filter be changed?")
        button = "[...document.querySelectorAll('.turn.answer .tools [aria-label=\"Read aloud\"]')].at(-1)"
        heard = lambda: self.driver.execute_script("return window.heard.length")
        pressed = lambda: self.driver.execute_script(f"return {button}.ariaPressed")
        self.wait(lambda: self.driver.execute_script(f"return Boolean({button})"), "it can be read aloud")
        self.assertEqual(heard(), 0, "nothing is read unasked")
        self.driver.execute_script(f"{button}.click()")
        self.wait(lambda: heard() == 1 and pressed() == "true", "it is read")
        self.assertIn("six months", self.driver.execute_script("return window.heard[0]"))
        self.clean("read-aloud")
        self.driver.execute_script(f"{button}.click()")
        self.wait(lambda: pressed() == "false", "it is silent")
        self.assertEqual(heard(), 1)
        self.driver.execute_script(f"{button}.click()")
        self.wait(lambda: heard() == 2, "it is read again")
        self.driver.execute_script("window.speechSynthesis.end()")
        self.wait(lambda: pressed() == "false", "it was read to its end")

    def test_what_was_written_freely_and_ends_at_its_limit_can_be_written_on(self):
        self.driver.execute_script("document.querySelector('.composer select').value = 'talk'")
        self.ask("a talk that is cut")
        self.sees("The answer ends here")
        self.hit("Go on", ".turn.answer button")
        self.wait(lambda: "Please go on." in [one.text for one in self.all(".turn.you .said")] and not self.all(".made"), "it is asked to go on")
        self.assertEqual(len(self.all(".turn.answer")), 2)
        # An answer from documents looks for nothing else instead.
        self.driver.execute_script("document.querySelector('.composer select').value = 'documents'")
        self.ask("the filter, cut")
        self.wait(lambda: self.text().count("The answer ends here") >= 2)
        self.assertFalse([one for one in self.all(".turn.answer")[-1].find_elements("css selector", "button") if one.text == "Go on"])

    def test_a_long_conversation_opens_with_two_requests(self):
        self.driver.execute_script("performance.clearResourceTimings()")
        self.driver.get(self.base + "#/c/00000000-0000-4000-8000-000000000050")
        self.wait(lambda: len(self.all(".turn.answer strong")) == 50)
        made = self.driver.execute_script("return performance.getEntriesByType('resource').map(one => new URL(one.name).pathname)")
        self.assertEqual(made.count("/api/conversations-show"), 1)
        self.assertEqual(made.count("/api/render"), 1)
        self.assertIn("A long conversation", self.driver.title)

    def test_conversations_gone_past_while_they_come_stay_apart_and_are_asked_for_once(self):
        long = "c/00000000-0000-4000-8000-000000000050"
        said = lambda: [one.text for one in self.all(".turn.you .said")]
        self.ask("When must the filter be changed?")
        short = self.driver.execute_script("return location.hash").removeprefix("#/")
        self.driver.get(self.base + "#/new")
        self.driver.refresh()
        self.go("new")
        self.driver.execute_script("performance.clearResourceTimings()")
        self.stage.process.send_signal(signal.SIGSTOP)
        for place in (short, long, short, long):
            self.driver.get(self.base + "#/" + place)
        self.stage.process.send_signal(signal.SIGCONT)
        self.wait(lambda: len(self.all(".turn.answer strong")) == 50)
        made = self.driver.execute_script("return performance.getEntriesByType('resource').map(one => new URL(one.name).pathname)")
        self.assertEqual(made.count("/api/conversations-show"), 2)
        # What is sent before an earlier question is there comes after it.
        self.stage.process.send_signal(signal.SIGSTOP)
        self.driver.get(self.base + "#/" + short)
        self.one("#question").send_keys("And the filter of the other one?", Keys.ENTER)
        self.stage.process.send_signal(signal.SIGCONT)
        self.wait(lambda: len(said()) == 2, said())
        self.assertEqual(said(), ["When must the filter be changed?", "And the filter of the other one?"])
        self.wait(lambda: "tok/s" in self.all(".turn.answer")[-1].text)

    def test_an_import_is_seen_on_every_screen_and_after_an_answer(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "slow paper.pdf"
            path.write_text("words of a slow paper")
            self.one("input[type=file][multiple]").send_keys(str(path))
            self.sees("of 8 pages", "#strip")
            self.ask("When must the filter be changed?")
            self.sees("of 8 pages", "#strip")
            self.driver.get(self.base + "#/settings")
            self.sees("of 8 pages", "#strip")
            self.sees("slow paper.pdf", "#strip")
            self.sees("1 document added", "#toasts")
            self.wait(lambda: "pages" not in self.text("#strip .state"))

    def test_a_server_that_goes_in_mid_answer_loses_nothing_that_was_written(self):
        self.ask("slow long filter", until="Sentence number 2")
        self.stage.stop()
        self.sees("The program does not answer. What was written stays.", ".made")
        self.one("#question").send_keys("What then?")
        self.sees("what you write stays here and can be sent when it is back.", ".composer")
        self.assertFalse(self.one("button.main-action[type=submit]").is_enabled())
        self.press(Keys.ENTER)
        self.assertEqual(self.one("#question").get_attribute("value"), "What then?")
        self.clean("gone")
        self.shot("gone")
        self.stage.start()
        self.sees("This page is signed out", "dialog")
        self.driver.get(self.stage.address)
        self.wait(lambda: not self.all("dialog"))
        self.sees("Sentence number 1")
        self.wait(lambda: not self.all(".made"))
        self.assertEqual(self.one("#question").get_attribute("value"), "What then?")
        self.wait(lambda: self.one("button.main-action[type=submit]").is_enabled())

    def test_a_screen_that_is_opened_when_the_program_is_gone_says_so_and_comes_when_it_is_back(self):
        self.stage.stop()
        self.driver.get(self.base + "#/diagnostics")
        self.sees("The program on this device does not answer.")
        self.clean("not-fetched")
        self.stage.start()
        self.sees("libera serve", "dialog")
        self.driver.get(self.stage.address)
        self.wait(lambda: not self.all("dialog"))
        self.hit("Try again", "#main button")
        self.sees("State of this device")


if __name__ == "__main__":
    unittest.main()
