"""The first minute: what the start page offers where nothing is there yet."""

import unittest

import stage
from page import Page


class FirstTest(Page):
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


if __name__ == "__main__":
    unittest.main()
