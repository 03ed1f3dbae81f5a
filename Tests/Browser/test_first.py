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
        self.hit("Get SmolLM2 135M and Leaf IR (143 MB)", "#main button")
        self.one("#main progress")
        self.shot("start-fetching")
        self.hit("Cancel", "#main button")
        self.wait(lambda: not self.all("#main progress"))
        self.hit("Get SmolLM2 135M and Leaf IR (143 MB)", "#main button")
        self.wait(lambda: "Something is missing" not in self.text())
        self.sees("SmolLM2 135M", "#strip")
        self.hit("Try a sample document", "#main button")
        self.wait(lambda: self.one("#question").get_attribute("value"))
        self.ask("")


if __name__ == "__main__":
    unittest.main()
