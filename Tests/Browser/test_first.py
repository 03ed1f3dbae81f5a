"""The first minute: what the start page offers where nothing is there yet."""

import os
import pathlib
import subprocess
import unittest

import stage
from page import Page


# What one would have to look for below the composer.
COVERED = """
  const end = document.querySelector('.composer').getBoundingClientRect().top;
  return [...document.querySelectorAll('#main .notice label, #main .notice button.main-action')].filter((one) => one.getBoundingClientRect().bottom > end).map((one) => one.innerText)"""

PLACES = """
  const at = (css) => { const box = [...document.querySelectorAll(css)].find((one) => one.checkVisibility()).getBoundingClientRect(); return [box.x, box.y, box.width, box.height]; };
  return [at('.start h1'), at('.composer form'), at('.composer textarea'), at('.composer .main-action')]"""


class FirstTest(Page):
    def test_title_and_composer_are_painted_before_the_script_runs_and_stay_where_they_are(self):
        for width, height in ((360, 740), (768, 1024), (1440, 900)):
            stage.size(self.driver, width, height)
            for language, title in (("en", "Ask your own documents"), ("de", "Fragen Sie Ihre eigenen Dokumente"), ("fr", "Interrogez vos propres documents")):
                with self.subTest(f"{width} {language}"):
                    self.driver.execute_script("localStorage.setItem('language', arguments[0])", language)
                    self.driver.execute_cdp_cmd("Network.enable", {})
                    self.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": ["*/js/main.js"]})
                    try:
                        self.driver.refresh()
                        self.wait(lambda: self.driver.execute_script("return performance.getEntriesByName('first-contentful-paint').length"), "it is painted")
                        self.assertEqual(self.text(".start").strip(), title)
                        self.shot(f"before-{width}-{language}")
                        before = self.driver.execute_script(PLACES)
                    finally:
                        self.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": []})
                        self.driver.get_log("browser")
                    self.driver.refresh()
                    self.wait(lambda: self.all(".start ul"))
                    self.assertEqual(self.text(".start h1"), title)
                    self.assertEqual(self.driver.execute_script(PLACES), before)
        self.driver.execute_script("localStorage.removeItem('language')")

    def test_the_start_page_fetches_what_is_missing_where_one_stands(self):
        self.sees("Ask your own documents")
        self.sees("Something is missing for full answers")
        for width, height in ((360, 740), (1440, 900)):
            for dark in (False, True):
                stage.size(self.driver, width, height)
                stage.appearance(self.driver, dark)
                name = f"start-{width}-{'dark' if dark else 'light'}"
                self.clean(name)
                self.shot(name)
            self.assertEqual(self.driver.execute_script(COVERED), [], f"what is offered is in sight at {width}")
        # Each way says what it fetches, how long that takes, and under which licence.
        self.wait(lambda: len(self.all("#main fieldset.choice label")) == 2)
        small, larger = (label.text for label in self.all("#main fieldset.choice label"))
        self.assertIn("143 MB · 14 s at 10 MB/s · Apache-2.0", small)
        self.assertIn("Qwen2.5 3B, about 36 tok/s", larger)
        self.assertIn("2.1 GB · 4 min at 10 MB/s · Apache-2.0", larger)
        self.driver.execute_script("document.querySelector('#main input[value=larger]').click()")
        self.sees("Get Qwen2.5 3B and Leaf IR (2.1 GB)")
        self.driver.execute_script("document.querySelector('#main input[value=small]').click()")
        self.hit("Get SmolLM2 135M and Leaf IR (143 MB)", "#main button")
        self.wait(lambda: len(self.all("#main progress")) == 2)
        self.clean("start-fetching")
        self.shot("start-fetching")
        for name in ("SmolLM2 135M", "Leaf IR"):
            self.hit(f"Cancel: {name}", "#main button")
        self.wait(lambda: not self.all("#main progress"))
        # What has come over this line tells how long the rest takes.
        self.sees("over this line (6")
        self.hit("Get SmolLM2 135M and Leaf IR (143 MB)", "#main button")
        self.wait(lambda: len(self.all("#main progress[value]")) == 2)
        # The page is opened again meanwhile: what is under way goes on.
        self.driver.refresh()
        self.wait(lambda: self.all("#main progress") or "Something is missing" not in self.text())
        self.wait(lambda: self.text() and "Something is missing" not in self.text() and not self.all("#main progress"))
        self.sees("SmolLM2 135M", "#strip")
        self.hit("Try a sample document", "#main button")
        self.wait(lambda: self.one("#question").get_attribute("value"))
        self.ask("")


class LightTest(Page):
    """Before the real program, where nothing is installed: then most is asked for."""

    @classmethod
    def raised(cls):
        return stage.House(hears=False, packed=False)

    def test_the_page_opens_by_few_requests_and_bytes(self):
        self.sees("Something is missing for full answers")
        self.opens_lightly()
        self.opens_lightly(self.stage.link())


    def test_what_a_terminal_has_put_in_is_not_missed_any_more(self):
        self.sees("Something is missing for full answers")
        packs = pathlib.Path(os.environ.get("LIBERA_TEST_HOME", pathlib.Path.home() / ".cache/libera/test-home")) / "packs"
        subprocess.run(["cp", "-al", *map(str, packs.iterdir()), str(self.stage.folder / "packs")], check=True)
        self.driver.execute_script("window.dispatchEvent(new Event('focus'))")
        self.wait(lambda: not self.one("#main .notice").is_displayed() if self.all("#main .notice") else True, "nothing is missing")
        self.sees("SmolLM2 135M", "#strip")


class FurnishedTest(Page):
    """Before the real program with its packs and a document."""

    @classmethod
    def raised(cls):
        house = stage.House(hears=False)
        paper = house.folder / "lighthouse.md"
        paper.write_text("# Lighthouse\nThe keeper of the lighthouse at Skerry Point is Ines Aldana.\n")
        if house.run("import", str(paper)).returncode:
            raise RuntimeError("the document was not taken in")
        return house

    def test_the_page_opens_by_few_requests_and_bytes(self):
        self.sees("What is “Lighthouse")
        self.opens_lightly()
        self.opens_lightly(self.stage.link())


if __name__ == "__main__":
    unittest.main()
