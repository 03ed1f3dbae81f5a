"""One browser before the page, and small steps in it."""

import os
import unittest

from axe_core_python.selenium import Axe
from selenium.common.exceptions import StaleElementReferenceException
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
        # The link lets in once: a page that is loaded again before it is in would stay outside.
        WebDriverWait(cls.driver, PATIENCE, poll_frequency=0.05).until(lambda driver: driver.find_elements(By.CSS_SELECTOR, "#question"))
        cls.base = f"http://127.0.0.1:{cls.stage.port}/"

    def setUp(self):
        stage.size(self.driver, 1440, 900)
        stage.appearance(self.driver, dark=False)
        # Not at the conversation of the test before, which would be asked for once more.
        self.driver.get(self.base + "#/new")
        self.driver.refresh()
        self.go("new")

    def tearDown(self):
        bad = [line["message"] for line in self.driver.get_log("browser")
               if line["level"] == "SEVERE" and "Failed to load resource" not in line["message"]]
        self.assertEqual(bad, [], "the browser's console has errors")

    # Small steps

    def wait(self, condition, message=""):
        """What the page exchanges between two looks at it is looked at again."""
        wait = WebDriverWait(self.driver, PATIENCE, poll_frequency=0.05, ignored_exceptions=[StaleElementReferenceException])
        return wait.until(lambda _: condition(), message)

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
        """Anew, also where one is there already; what stood there before does not count as arrived."""
        self.driver.get(self.base + ("#/new" if place == "library" else "#/library"))
        self.driver.execute_script("for (const one of document.querySelector('#main').children) one.dataset.left = ''")
        self.driver.get(self.base + f"#/{place}")
        self.one("#main > :not([data-left]) #question" if place == "new" else "#main > :is(.screen, .viewer):not([data-left]) h1")

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

    def hit(self, words, css="button, a", before=lambda: None):
        """Finds and clicks in one step: lists are drawn anew while one looks."""
        script = ("const one = [...document.querySelectorAll(arguments[1])].find(one => "
                  "((one.innerText ?? '') + (one.ariaLabel ?? '')).includes(arguments[0]) && one.checkVisibility());"
                  "one?.focus(); one?.click(); return Boolean(one)")
        self.wait(lambda: before() or self.driver.execute_script(script, words, css), words)

    def hit_in_menu(self, words):
        """The menu is opened again where a screen that was gone to just before came so late that it closed it."""
        def opened():
            if self.one("#menu").get_attribute("aria-expanded") != "true":
                self.click("#menu")
        self.hit(words, "#rail a", before=opened)

    def opens_lightly(self, link=None):
        """The start page, opened by a browser that keeps nothing of it, with all that it asks for until it stands whole. `link` lets a
        browser in that was never here."""
        self.driver.execute_cdp_cmd("Network.enable", {})
        self.driver.execute_cdp_cmd("Network.clearBrowserCache", {})
        if link:
            self.driver.execute_script("localStorage.removeItem('session')")
            self.driver.get("about:blank")
            self.driver.get(link)
            self.one("#question")
        else:
            self.driver.refresh()
        # What this test asks for itself.
        mine = ["/js/api.js", "/js/home.js"]
        made = lambda: self.driver.execute_script(
            "return [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
            ".map((one) => [new URL(one.name).pathname, one.transferSize]).filter(([name, size]) => size > 0 && !arguments[0].includes(name))", mine)
        # What is asked for last. The stream of events and the word that somebody looks are not listed while they last.
        last = {"/api/governor", "/api/reminders", "/api/packs-proposal"} & {f"/api/{name}" for name in self.driver.execute_async_script(
            "import('/js/api.js').then(({ can }) => arguments[0](['governor', 'reminders', 'packs-proposal'].filter(can)))")}
        if not self.driver.execute_async_script("import('/js/home.js').then(({ home }) => arguments[0](home.wanted.length))"):
            last.discard("/api/packs-proposal")
        self.wait(lambda: last <= {name for name, _ in made()}, f"{last}")
        requests, size = len(made()) + 2, sum(size for _, size in made())
        self.assertLessEqual(requests, 20, made())
        # What asks for an icon again has it.
        self.assertLessEqual([name for name, _ in made()].count("/icon.svg"), 1, made())
        self.assertGreater(size, 50_000, f"nothing of it was there: {made()}")
        self.assertLessEqual(size, 100_000, made())

    def clean(self, name):
        found = Axe().run(self.driver)["violations"]
        told = [f"{one['id']}: {one['help']} {[node['html'][:120] for node in one['nodes'][:3]]}" for one in found]
        self.assertEqual(told, [], name)

    def shot(self, name):
        stage.SHOTS.mkdir(parents=True, exist_ok=True)
        self.driver.save_screenshot(str(stage.SHOTS / f"{name}.png"))
