"""One browser before the page, and small steps in it."""

import os
import unittest

from axe_core_python.selenium import Axe
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

import stage


# How many seconds a test waits for what should come; fewer while one works on a test.
PATIENCE = int(os.environ.get("LIBERA_PATIENCE", "240"))


class Page(unittest.TestCase):
    """Over a stage of its own, or whatever `raised` gives."""

    @classmethod
    def raised(cls):
        return stage.Stage()

    @classmethod
    def setUpClass(cls):
        cls.stage = cls.raised()
        cls.addClassCleanup(cls.stage.close)
        cls.driver = stage.browser()
        cls.addClassCleanup(cls.driver.quit)
        cls.driver.get(cls.stage.address)
        cls.base = f"http://127.0.0.1:{cls.stage.port}/"

    def setUp(self):
        stage.size(self.driver, 1440, 900)
        stage.appearance(self.driver, dark=False)
        self.driver.refresh()
        self.go("new")

    def tearDown(self):
        bad = [line["message"] for line in self.driver.get_log("browser")
               if line["level"] == "SEVERE" and "Failed to load resource" not in line["message"]]
        self.assertEqual(bad, [], "the browser's console has errors")

    # Small steps

    def wait(self, condition, message=""):
        return WebDriverWait(self.driver, PATIENCE, poll_frequency=0.05).until(lambda _: condition(), message)

    def all(self, css):
        return self.driver.find_elements(By.CSS_SELECTOR, css)

    def one(self, css):
        return self.wait(lambda: next(iter(self.all(css)), None), css)

    def text(self, css="#main"):
        return self.driver.execute_script("return document.querySelector(arguments[0])?.innerText ?? ''", css)

    def sees(self, words, css="#main"):
        self.wait(lambda: words in self.text(css), f"“{words}” in {css}: {self.text(css)[:400]}")

    def press(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    def chord(self, modifier, key):
        ActionChains(self.driver).key_down(modifier).send_keys(key).key_up(modifier).perform()

    def focus(self):
        return self.driver.switch_to.active_element

    def go(self, place):
        self.driver.get(self.base + "#/library")
        self.driver.get(self.base + f"#/{place}")
        self.one(".composer" if place == "new" else ".screen h1")

    def ask(self, question, until="tok/s"):
        before = len(self.all(".turn.answer"))
        self.one("#question").send_keys(question, Keys.ENTER)
        self.wait(lambda: len(self.all(".turn.answer")) > before)
        if until:
            # What is said while it is made is not the answer.
            script = "const one = [...document.querySelectorAll('.turn.answer')].at(-1).cloneNode(true); one.querySelector('.made')?.remove(); return one.textContent"
            self.wait(lambda: until in self.driver.execute_script(script), until)
        return self.all(".turn.answer")[-1]

    def click(self, css):
        self.driver.execute_script("arguments[0].focus(); arguments[0].click()", self.one(css))

    def named(self, words, css="button, a"):
        return self.wait(lambda: next((one for one in self.all(css) if words in (one.text or "") + (one.get_attribute("aria-label") or "")), None), words)

    def hit(self, words, css="button, a"):
        """Finds and clicks in one step: lists are drawn anew while one looks."""
        script = ("const one = [...document.querySelectorAll(arguments[1])].find(one => "
                  "((one.innerText ?? '') + (one.ariaLabel ?? '')).includes(arguments[0]) && one.checkVisibility());"
                  "one?.focus(); one?.click(); return Boolean(one)")
        self.wait(lambda: self.driver.execute_script(script, words, css), words)

    def clean(self, name):
        found = Axe().run(self.driver)["violations"]
        told = [f"{one['id']}: {one['help']} {[node['html'][:120] for node in one['nodes'][:3]]}" for one in found]
        self.assertEqual(told, [], name)

    def shot(self, name):
        stage.SHOTS.mkdir(parents=True, exist_ok=True)
        self.driver.save_screenshot(str(stage.SHOTS / f"{name}.png"))
