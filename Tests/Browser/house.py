"""One house of the real program and one browser for each test.

Screenshots go to LIBERA_SHOTS.
"""

import pathlib
import shutil
import tempfile
import unittest

from axe_core_python.selenium import Axe
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

import stage


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

    def sees(self, words, css="#main"):
        self.wait(lambda: words in self.text(css), f"“{words}” in {css}")

    def say(self, words):
        self.wait(lambda: self.all("#question"))
        self.all("#question")[0].send_keys(words, Keys.ENTER)
        self.wait(lambda: self.all(".card.command .command-words"), words)

    def answer(self, words):
        """Said to the card that waits."""
        self.all("#question")[0].send_keys(words, Keys.ENTER)

    def press(self, words, css=".card.command button"):
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
