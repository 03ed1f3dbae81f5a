"""Talking to the page: the real program hears what a browser's microphone plays. Screenshots go to LIBERA_SHOTS."""

import os
import re
import signal
import time
import unittest

from axe_core_python.selenium import Axe
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

import stage

NUMBERS = {"two": "2", "seven": "7", "nine": "9", "twenty five": "25", "twenty-five": "25"}


def plain(text):
    text = text.lower()
    for word, digit in NUMBERS.items():
        text = re.sub(rf"\b{word}\b", digit, text)
    return re.sub(r"[^a-z0-9 ]", "", text).split()


class VoiceTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.house = stage.House()

    @classmethod
    def tearDownClass(cls):
        cls.house.close()

    def page(self, sound, **more):
        driver = stage.browser(sound=sound, **more)
        self.addCleanup(driver.quit)
        # The link works once; a running server gives another to whoever asks at its own machine.
        driver.get(self.house.link())
        self.wait(driver, lambda: driver.find_elements(By.CSS_SELECTOR, ".mic"))
        return driver

    def wait(self, driver, condition, message=""):
        return WebDriverWait(driver, 240, poll_frequency=0.02).until(lambda _: condition(), message)

    def field(self, driver):
        return driver.execute_script("return document.querySelector('#question').value")

    def live(self, driver):
        return driver.execute_script("return document.querySelector('.heard').innerText")

    def listens(self, driver):
        return driver.execute_script("return document.querySelector('.mic').getAttribute('aria-pressed') === 'true'")

    def mic(self, driver):
        return driver.find_element(By.CSS_SELECTOR, ".mic")

    def near(self, heard, number, most=1):
        wanted, got = plain(stage.said(number)), plain(heard)
        missing = [word for word in wanted if word not in got]
        self.assertLessEqual(len(missing), most, f"“{heard}” for “{stage.said(number)}”")

    def test_words_appear_while_one_talks_settle_and_are_sent(self):
        driver = self.page(stage.microphone(1))
        self.mic(driver).click()
        self.wait(driver, lambda: self.listens(driver))
        self.wait(driver, lambda: len(self.live(driver).split()) >= 2, "live words")
        self.assertEqual(self.field(driver), "", "live words are not settled yet")
        self.assertEqual(Axe().run(driver)["violations"], [], "while listening")
        self.wait(driver, lambda: self.field(driver))
        self.near(self.field(driver), 1)
        self.assertEqual(self.live(driver), "")
        # It stops by itself, for lack of speech.
        self.wait(driver, lambda: not self.listens(driver))
        self.assertEqual(driver.switch_to.active_element.get_attribute("id"), "question")
        driver.switch_to.active_element.send_keys(Keys.ENTER)
        # What was said is a command, so a card tells what was understood and has been done or may be.
        self.wait(driver, lambda: driver.find_elements(By.CSS_SELECTOR, ".card.command .command-words"))
        self.assertIn("john", driver.find_element(By.CSS_SELECTOR, ".card.command .command-words").text.lower())
        self.assertEqual(Axe().run(driver)["violations"], [], "with a card")
        driver.save_screenshot(str(stage.SHOTS / "spoken-command.png"))

    def test_a_spoken_command_becomes_a_card_by_itself(self):
        driver = self.page(stage.microphone(1, before=0.5, after=30.0))
        button = driver.find_element(By.CSS_SELECTOR, "[aria-label='Command: speak and send']")
        button.click()
        self.wait(driver, lambda: button.get_attribute("aria-pressed") == "true")
        self.assertFalse(self.mic(driver).is_enabled(), "one dictation at a time")
        card = lambda: driver.find_elements(By.CSS_SELECTOR, ".card.command .command-words")
        self.wait(driver, card, "a card without a press of any key")
        self.assertIn("john", card()[0].text.lower())
        self.assertEqual(self.field(driver), "")
        self.assertTrue(self.mic(driver).is_enabled())
        stage.size(driver, 360, 740)
        time.sleep(0.2)
        self.assertLessEqual(driver.execute_script("return document.documentElement.scrollWidth - innerWidth"), 0)
        self.assertEqual(Axe().run(driver)["violations"], [], "with both buttons")
        driver.save_screenshot(str(stage.SHOTS / "voice-command-360.png"))

    def test_a_question_that_was_read_aloud_is_answered_without_touching_anything(self):
        driver = self.page(stage.microphone(1, before=0.5, after=30.0))
        if not driver.execute_script("return import('/js/speak.js').then(async (voice) => { await voice.programVoice(); return voice.canSpeak(); })"):
            self.skipTest("no voice on this device")
        # From the second time on the microphone hears somebody agree.
        driver.execute_script("""
          localStorage.setItem('speak', 'on');
          const real = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
          window.opened = 0;
          navigator.mediaDevices.getUserMedia = async (wish) => {
            window.opened += 1;
            if (window.opened === 1) return real(wish);
            const { one } = await import('/js/api.js');
            const { sound } = await one('say', { text: 'Yes, do it please.' });
            const room = new AudioContext();
            const words = room.createBufferSource();
            words.buffer = await room.decodeAudioData(Uint8Array.from(atob(sound), (letter) => letter.charCodeAt(0)).buffer);
            const heard = room.createMediaStreamDestination();
            words.connect(heard);
            words.start(room.currentTime + 1);
            return heard.stream;
          };""")
        driver.find_element(By.CSS_SELECTOR, "[aria-label='Command: speak and send']").click()
        self.wait(driver, lambda: driver.execute_script("return window.opened") == 2, "it listens for an answer by itself")
        self.wait(driver, lambda: driver.find_elements(By.CSS_SELECTOR, ".card.command .command-state"), "and does it")
        self.assertEqual(len(driver.find_elements(By.CSS_SELECTOR, ".card.command")), 1)
        driver.execute_script("localStorage.removeItem('speak')")

    def test_screens_while_listening(self):
        driver = self.page(stage.microphone(10, before=2.0))
        self.mic(driver).click()
        self.wait(driver, lambda: len(self.live(driver).split()) >= 2, "live words")
        for width, height in ((360, 740), (768, 1024), (1440, 900)):
            for dark in (False, True):
                stage.size(driver, width, height)
                stage.appearance(driver, dark, reduced=False)
                time.sleep(0.1)
                driver.save_screenshot(str(stage.SHOTS / f"listening-{width}-{'dark' if dark else 'light'}.png"))
                wide = driver.execute_script("return document.documentElement.scrollWidth - innerWidth")
                self.assertLessEqual(wide, 0)
        driver.find_element(By.CSS_SELECTOR, "[aria-label^='Cancel']").click()
        self.wait(driver, lambda: not self.listens(driver))

    def test_holding_a_key_talks_while_it_is_down_and_escape_cancels(self):
        driver = self.page(stage.microphone(12, 14, before=0.5))
        script = ("const [type] = arguments; dispatchEvent(new KeyboardEvent(type, {code: 'KeyV', key: 'v', altKey: true}))")
        driver.execute_script(script, "keydown")
        self.wait(driver, lambda: self.field(driver), "the first sentence")
        self.assertTrue(self.listens(driver), "silence does not end what is held")
        self.near(self.field(driver), 12)
        self.wait(driver, lambda: len(self.live(driver).split()) >= 2, "the second sentence")
        before = self.field(driver)
        driver.execute_script("document.querySelector('.mic').focus()")
        ActionChains(driver).send_keys(Keys.ESCAPE).perform()
        self.wait(driver, lambda: not self.listens(driver))
        driver.execute_script(script, "keyup")
        time.sleep(1.5)
        self.assertEqual(self.field(driver), before, "what was cancelled left nothing")

    def test_letting_go_in_the_middle_settles_what_was_said(self):
        driver = self.page(stage.microphone(16, before=0.5))
        button = self.mic(driver)
        ActionChains(driver).click_and_hold(button).perform()
        self.wait(driver, lambda: len(self.live(driver).split()) >= 3, "live words")
        ActionChains(driver).release().perform()
        self.wait(driver, lambda: not self.listens(driver))
        self.assertGreaterEqual(len(self.field(driver).split()), 2)

    def test_a_killed_worker_loses_no_word(self):
        driver = self.page(stage.microphone(19, before=1.0))
        self.mic(driver).click()
        self.wait(driver, lambda: self.live(driver), "live words")
        workers = self.house.workers("speech")
        self.assertTrue(workers)
        for process in workers:
            os.kill(process, signal.SIGKILL)
        self.wait(driver, lambda: self.field(driver), "words after the worker's death")
        self.near(self.field(driver), 19, most=2)

    def test_a_restart_of_the_program_in_mid_sentence_loses_no_word(self):
        driver = self.page(stage.microphone(19, 10, before=1.0, between=0.2))
        self.mic(driver).click()
        self.wait(driver, lambda: self.live(driver), "live words")
        self.house.stop()
        self.house.start()
        # With the program its sessions end; the page goes on as soon as its browser is let in again.
        self.wait(driver, lambda: driver.find_elements(By.CSS_SELECTOR, "dialog.shut"), "the page says that it was let go")
        driver.get(self.house.address)
        self.wait(driver, lambda: "June" in self.field(driver), "words after the restart")
        self.near(self.field(driver), 19, most=2)
        self.near(self.field(driver), 10, most=2)

    def test_words_that_settle_late_do_not_end_what_is_being_said(self):
        self.house.run("settings", "set", "automaticStopMs", "800")
        self.addCleanup(self.house.run, "settings", "set", "automaticStopMs", "2000")
        driver = self.page(stage.microphone(1, 3, before=1.0, between=1.0))
        self.mic(driver).click()
        self.wait(driver, lambda: self.live(driver), "live words")
        # The worker stands still until the second sentence is on its way, so that the first one settles in the middle of it.
        workers = self.house.workers("speech")
        for process in workers:
            os.kill(process, signal.SIGSTOP)
        time.sleep(3.5)
        for process in workers:
            os.kill(process, signal.SIGCONT)
        self.wait(driver, lambda: not self.listens(driver), "it ends by itself")
        self.near(self.field(driver), 1)
        self.near(self.field(driver), 3)

    def test_a_second_tab_is_told_that_the_first_one_listens(self):
        driver = self.page(stage.microphone(2, before=8.0))
        self.mic(driver).click()
        self.wait(driver, lambda: "Listening" in driver.find_element(By.CSS_SELECTOR, ".listening").text)
        first = driver.current_window_handle
        driver.switch_to.new_window("tab")
        driver.get(f"http://127.0.0.1:{self.house.port}/")
        self.wait(driver, lambda: driver.find_elements(By.CSS_SELECTOR, ".mic"))
        self.mic(driver).click()
        self.wait(driver, lambda: "dictating already" in driver.find_element(By.ID, "toasts").text)
        self.assertFalse(self.listens(driver))
        driver.switch_to.window(first)
        self.assertTrue(self.listens(driver))
        driver.execute_script("document.querySelector('.mic').focus()")
        ActionChains(driver).send_keys(Keys.ESCAPE).perform()
        self.wait(driver, lambda: not self.listens(driver))

    def state(self, driver):
        return driver.execute_script("return document.querySelector('.listening [role=status]').textContent")

    def shot(self, driver, name):
        for width, height in ((360, 740), (1440, 900)):
            stage.size(driver, width, height)
            time.sleep(0.2)
            driver.save_screenshot(str(stage.SHOTS / f"microphone-{name}-{width}.png"))
            self.assertLessEqual(driver.execute_script("return document.documentElement.scrollWidth - innerWidth"), 0, name)

    def test_while_the_browser_asks_that_is_said_and_can_be_left(self):
        driver = self.page(stage.microphone(2))
        # What a browser does while its question stands: it does not answer.
        driver.execute_script("navigator.mediaDevices.getUserMedia = () => new Promise(() => {})")
        self.mic(driver).click()
        self.wait(driver, lambda: "allow the microphone" in self.state(driver))
        self.assertEqual(Axe().run(driver)["violations"], [], "while the browser asks")
        self.shot(driver, "asking")
        # Longer than the program waits for a microphone that has gone.
        time.sleep(18)
        self.assertIn("allow the microphone", self.state(driver))
        self.assertTrue(self.listens(driver))
        driver.find_element(By.CSS_SELECTOR, "[aria-label^='Cancel']").click()
        self.wait(driver, lambda: not self.listens(driver))

    def test_a_microphone_that_gives_only_silence_is_told(self):
        driver = self.page(stage.microphone(before=30.0))
        self.mic(driver).click()
        self.wait(driver, lambda: self.state(driver).startswith("Listening"))
        self.shot(driver, "listening")
        self.mic(driver).click()
        self.wait(driver, lambda: "nothing but silence" in driver.find_element(By.ID, "toasts").text)
        self.assertEqual(self.field(driver), "")
        self.shot(driver, "silence")

    def test_a_program_that_is_away_while_one_speaks_is_told_and_loses_no_word(self):
        driver = self.page(stage.microphone(19, before=1.0))
        self.mic(driver).click()
        self.wait(driver, lambda: self.live(driver), "live words")
        self.house.stop()
        try:
            self.wait(driver, lambda: "is kept" in self.state(driver), "the program is away")
            self.shot(driver, "away")
        finally:
            self.house.start()
        # With the program its sessions ended: the page says so, and goes on when its browser is let in again.
        self.wait(driver, lambda: driver.find_elements(By.CSS_SELECTOR, "dialog.shut"), "the page says that it was let go")
        driver.get(self.house.address)
        self.wait(driver, lambda: self.field(driver), "words after it came back")
        self.near(self.field(driver), 19, most=2)

    def test_a_microphone_that_goes_away_keeps_what_was_said(self):
        driver = self.page(stage.microphone(16, before=0.5, after=60.0))
        driver.execute_script("""
          const real = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
          navigator.mediaDevices.getUserMedia = async (wish) => (window.given = await real(wish));""")
        self.mic(driver).click()
        self.wait(driver, lambda: len(self.live(driver).split()) >= 3, "live words")
        driver.execute_script("given.getTracks()[0].dispatchEvent(new Event('ended'))")
        self.wait(driver, lambda: "went away" in driver.find_element(By.ID, "toasts").text)
        self.shot(driver, "lost")
        self.wait(driver, lambda: self.field(driver), "what was said until then")

    def test_a_spoken_answer_falls_silent_when_the_microphone_is_touched(self):
        driver = self.page(stage.microphone(before=30.0))
        speaking = "return import('/js/speak.js').then((voice) => voice.isSpeaking())"
        if not driver.execute_script("return import('/js/speak.js').then(async (voice) => { await voice.programVoice(); return voice.canSpeak(); })"):
            self.skipTest("no voice on this device")
        driver.execute_script("localStorage.setItem('speak', 'on'); return import('/js/speak.js')"
                              ".then((voice) => { voice.speak('The filter is changed every six months. '.repeat(20)); })")
        self.wait(driver, lambda: driver.execute_script(speaking), "it speaks")
        self.mic(driver).click()
        self.assertFalse(driver.execute_script(speaking), "silent at once")
        time.sleep(1)
        self.assertFalse(driver.execute_script(speaking), "and stays so")
        driver.execute_script("localStorage.removeItem('speak')")

    @unittest.skipUnless(os.environ.get("LIBERA_LONG_TESTS"), "takes ten minutes; LIBERA_LONG_TESTS=1 runs it")
    def test_ten_minutes_of_dictation_stay_in_bounds(self):
        numbers = [1 + n % 20 for n in range(150)]
        driver = self.page(stage.microphone(*numbers, before=0.5, between=1.0, after=10.0))
        heap = lambda: driver.execute_cdp_cmd("Runtime.getHeapUsage", {})["usedSize"] / 1e6
        resident = lambda: [int(open(f"/proc/{one}/statm").read().split()[1]) * 4096 / 1e6
                            for one in [self.house.process.pid, *self.house.workers("speech")]]
        self.mic(driver).click()
        self.wait(driver, lambda: self.field(driver), "the first sentence")
        time.sleep(45)
        early = (heap(), resident())
        end, shown = time.monotonic() + 600, 0
        while time.monotonic() < end and self.listens(driver):
            time.sleep(5)
            shown = max(shown, len(self.field(driver).split()))
        late = (heap(), resident())
        print(f"ten minutes: {shown} words, heap {early[0]:.0f} to {late[0]:.0f} MB, program and worker {early[1]} to {late[1]} MB")
        wanted = sum(len(plain(stage.said(number))) for number in numbers)
        self.assertGreater(shown, wanted * 0.85)
        self.assertLess(late[0], early[0] + 30)
        for before, after in zip(early[1], late[1]):
            self.assertLess(after, before + 60)

    def test_a_refused_or_missing_microphone_is_explained(self):
        for more, words in (({"sound": stage.microphone(2), "denied": True}, "does not let the page use the microphone"),
                            ({"sound": None}, "No microphone was found")):
            driver = self.page(**more)
            self.mic(driver).click()
            self.wait(driver, lambda: words in driver.find_element(By.ID, "toasts").text, words)
            self.assertFalse(self.listens(driver))
            self.assertEqual(Axe().run(driver)["violations"], [], words)
            self.shot(driver, "denied" if more["sound"] else "missing")


if __name__ == "__main__":
    unittest.main()
