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
        driver.get(self.address())
        self.wait(driver, lambda: driver.find_elements(By.CSS_SELECTOR, ".mic"))
        return driver

    def address(self):
        import json
        return json.loads(self.house.run("serve", "--json", "--no-open").stdout)["page"]

    def wait(self, driver, condition, message=""):
        return WebDriverWait(driver, 90, poll_frequency=0.02).until(lambda _: condition(), message)

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
        self.wait(driver, lambda: "June" in self.field(driver), "words after the restart")
        self.near(self.field(driver), 19, most=2)
        self.near(self.field(driver), 10, most=2)

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

    def test_a_refused_or_missing_microphone_is_explained(self):
        for more, words in (({"sound": stage.microphone(2), "denied": True}, "does not let the page use the microphone"),
                            ({"sound": None}, "No microphone was found")):
            driver = self.page(**more)
            self.mic(driver).click()
            self.wait(driver, lambda: words in driver.find_element(By.ID, "toasts").text, words)
            self.assertFalse(self.listens(driver))
            self.assertEqual(Axe().run(driver)["violations"], [], words)
            driver.save_screenshot(str(stage.SHOTS / f"microphone-{'denied' if more['sound'] else 'missing'}.png"))


if __name__ == "__main__":
    unittest.main()
