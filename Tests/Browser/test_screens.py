"""Every screen beside the picture that is kept of it (screens.py), at three widths, in light and dark."""

import pathlib
import shutil
import tempfile
import unittest

from PIL import Image
from selenium.webdriver.common.keys import Keys

import screens
import stage
from page import Page

WIDTHS = ((360, 740), (768, 1024), (1440, 900))

# What is another each time: measured heat and memory, times, the blinking of the field.
STILL = """
  const still = new CSSStyleSheet();
  still.replaceSync('* { caret-color: transparent !important; scrollbar-width: none !important } .chart .row :not(h3), .chart svg polyline, .log td, time { visibility: hidden !important } dl.facts-list dd, dialog dl.facts-list { display: none }');
  document.adoptedStyleSheets = [still];"""

DRAWN = """
  const box = document.querySelector('.pages').getBoundingClientRect();
  const seen = [...document.querySelectorAll('.leaf')].filter((leaf) => { const at = leaf.getBoundingClientRect(); return at.bottom > box.top && at.top < box.bottom; });
  return seen.length > 0 && seen.every((leaf) => leaf.querySelector('img')?.naturalHeight > 0)"""

TO_THE_BEGINNING = """
  const scroll = document.querySelector('.scroll');
  scroll.scrollTop = 0;
  scroll.dispatchEvent(new Event('scrollend'));
  const done = arguments[0];
  requestAnimationFrame(() => requestAnimationFrame(() => { scroll.scrollTop = 0; done(); }));"""


@unittest.skipUnless(screens.has_fonts(), f"the fonts {list(screens.FONTS.values())} are not what this system shows")
@unittest.skipIf(stage.FIREFOX, "the pictures are Chromium's")
class ScreensTest(Page):
    def setUp(self):
        super().setUp()
        self.folder = stage.SHOTS / "differences"
        self.said = []

    def look(self, name):
        """Takes a picture as soon as nothing changes any more."""
        self.driver.execute_script(STILL)
        self.driver.execute_script("document.activeElement?.blur()")
        self.wait(lambda: self.driver.execute_script(
            "return document.getAnimations().every((one) => one.playState !== 'running') && [...document.images].every((one) => one.complete)"))
        folder = pathlib.Path(tempfile.mkdtemp(prefix="libera-look-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        shot = folder / f"{name}.png"
        self.driver.save_screenshot(str(shot))
        return shot

    def compare(self, name):
        found = screens.compare(name, self.look(name), self.folder)
        if found:
            self.said.append(found)

    # The screens; each stands still when its function ends.

    def start(self):
        self.go("new")
        self.sees("Something is missing")

    def answers(self):
        self.driver.get(self.talk)
        self.wait(lambda: self.all(".numeral"))
        self.sees("What to try")
        # Also where the answer is drawn before the packs are known.
        self.sees("SmolLM2 135M", ".facts")

    def evidence(self):
        self.click(".chips button")
        self.wait(lambda: self.driver.execute_script("return document.querySelector('.evidence img')?.naturalHeight > 0"))
        # The chip was brought into sight by pressing it; how far the transcript went for that is not looked at.
        self.driver.execute_async_script(TO_THE_BEGINNING)

    def viewer(self):
        self.driver.get(self.base + "#/d/c2")
        self.one(".marks .passage")
        self.wait(lambda: self.driver.execute_script(DRAWN), "the pages in sight are drawn")

    def place(self, name, words):
        def there():
            self.go(name)
            self.sees(words)
        return there

    def who(self):
        self.go("new")
        self.click("#strip .state")
        self.one("dialog")

    def drawer(self):
        self.go("library")
        self.click("#menu")

    def test_every_screen_looks_as_it_did(self):
        self.ask("Show me markdown")
        self.ask("What is on the moon?", until="What to try")
        self.wait(lambda: self.all(".numeral") and not self.all(".caret"))
        self.talk = self.driver.current_url
        shown = (("start", self.start), ("answers", self.answers), ("evidence", self.evidence), ("viewer", self.viewer),
                 ("library", self.place("library", "Watched folders")), ("packs", self.place("packs", "SmolLM2")),
                 ("settings", self.place("settings", "Appearance")), ("diagnostics", self.place("diagnostics", "Swift and engines")),
                 ("data", self.place("data", "Destroy")), ("who", self.who), ("drawer", self.drawer))
        for width, height in WIDTHS:
            for dark in (False, True):
                stage.size(self.driver, width, height)
                stage.appearance(self.driver, dark)
                for name, go in shown:
                    if name == "drawer" and width > 600:
                        continue
                    go()
                    self.compare(f"{name}-{width}-{'dark' if dark else 'light'}")
                    self.driver.refresh()
        self.assertEqual(self.said, [])

    def test_a_moved_button_and_a_lost_panel_are_seen_and_the_like_of_it_is_not(self):
        for width, height in WIDTHS:
            stage.size(self.driver, width, height)
            self.go("library")
            self.sees("Watched folders")
            seen = lambda: screens.shrunk(Image.open(self.look("library")))
            kept = seen()
            self.assertFalse(screens.differs(kept, seen()), "nothing has changed")
            change = lambda css, style: self.driver.execute_script(
                "const one = document.querySelector(arguments[0]); one.style.cssText = arguments[1]", css, style)
            self.assertFalse(screens.differs(kept, kept.point(lambda value: min(255, value + 3))), "a shade that nobody sees")
            change("#main button.main-action", "position: relative; left: -24px")
            self.assertTrue(screens.differs(kept, seen()), f"a button that moved, at {width}")
            change("#main button.main-action", "")
            self.assertFalse(screens.differs(kept, seen()))
            change("#main .item", "display: none")
            self.assertTrue(screens.differs(kept, seen()), f"a panel that is lost, at {width}")
            change("#main .item", "")

    def test_the_pictures_are_few_and_small(self):
        files = list(screens.KEPT.glob("*.png"))
        self.assertEqual(len(files), 62)
        self.assertLess(sum(file.stat().st_size for file in files), screens.MOST_BYTES)


if __name__ == "__main__":
    unittest.main()
