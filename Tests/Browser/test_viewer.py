"""A document read in the page: pages as pictures with words over them, text and tables; opened at the passage, searched, asked."""

import pathlib
import tempfile
import unittest

from selenium.webdriver.common.keys import Keys

import papers
import stage
from page import Page

DRAWN = "return [...document.querySelectorAll('.leaf img')].filter(one => one.complete && one.naturalWidth).length"
SEEN = """const mark = document.querySelector(arguments[0])?.getBoundingClientRect();
  const frame = document.querySelector(arguments[1])?.getBoundingClientRect();
  return Boolean(mark?.height && frame) && mark.top >= frame.top && mark.bottom <= frame.bottom"""


class ViewerTest(Page):
    def open(self, id):
        self.driver.get(self.base + f"#/d/{id}")
        self.one(".viewer-bar input, .part")

    def seen(self, what, within=".pages"):
        self.wait(lambda: self.driver.execute_script(SEEN, what, within), f"{what} is in sight")

    def test_it_opens_at_the_passage_at_every_width_and_theme(self):
        for width, height in ((360, 740), (768, 1024), (1440, 900)):
            for dark in (False, True):
                stage.size(self.driver, width, height)
                stage.appearance(self.driver, dark)
                self.go("library")
                self.open("c2")
                self.seen(".marks .passage")
                self.assertEqual(self.one(".page-number").get_attribute("value"), "14")
                self.assertLessEqual(self.driver.execute_script("return document.documentElement.scrollWidth - innerWidth"), 0)
                self.clean(f"viewer-{width}-{dark}")
                self.shot(f"viewer-{width}-{'dark' if dark else 'light'}")

    def test_of_450_pages_those_in_sight_are_drawn_and_no_others(self):
        self.open("manual")
        self.wait(lambda: self.driver.execute_script(DRAWN) > 0)
        self.assertEqual(len(self.all(".leaf")), 450)
        field = self.one(".page-number")
        field.clear()
        field.send_keys("300", Keys.ENTER)
        self.wait(lambda: "Page 300 of the manual" in self.driver.execute_script("return document.querySelector('[aria-label=\"Page 300\"] .letters')?.textContent ?? ''"))
        self.wait(lambda: 0 < self.driver.execute_script(DRAWN) < 12)

    def test_words_are_found_and_stepped_through(self):
        self.open("manual")
        self.chord(Keys.CONTROL, "f")
        self.press("valve 20")
        self.sees("1 of 11", ".finder")
        self.seen(".marks .hit.now")
        self.assertEqual(self.one(".page-number").get_attribute("value"), "20")
        self.press(Keys.ENTER)
        self.sees("2 of 11", ".finder")
        self.wait(lambda: self.one(".page-number").get_attribute("value") == "200")
        self.seen(".marks .hit.now")
        self.clean("viewer-find")
        self.shot("viewer-find")
        self.press(Keys.ESCAPE)
        self.wait(lambda: not self.one(".finder").is_displayed())
        self.wait(lambda: not self.all(".marks .hit"))

    def test_pages_grow_and_turn_by_keys_and_contents_lead_to_a_chapter(self):
        self.open("manual")
        self.wait(lambda: self.driver.execute_script(DRAWN) > 0)
        wide = self.one(".leaf").size["width"]
        self.one(".pages").send_keys("+")
        self.wait(lambda: self.one(".leaf").size["width"] > wide * 1.2)
        self.press("0")
        self.wait(lambda: abs(self.one(".leaf").size["width"] - wide) < 2)
        self.press("r")
        self.wait(lambda: self.one(".leaf").size["width"] > self.one(".leaf").size["height"])
        self.shot("viewer-turned")
        self.press("rrr")
        self.wait(lambda: self.one(".leaf").size["width"] < self.one(".leaf").size["height"])
        self.click("#contents")
        self.hit("Chapter 30", ".contents button")
        self.wait(lambda: self.one(".page-number").get_attribute("value") == "291")
        self.clean("viewer-contents")
        self.shot("viewer-contents")

    def test_two_fingers_make_a_page_larger(self):
        self.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True, "maxTouchPoints": 2})
        self.addCleanup(self.driver.execute_cdp_cmd, "Emulation.setTouchEmulationEnabled", {"enabled": False})
        stage.size(self.driver, 360, 740)
        self.open("manual")
        self.wait(lambda: self.driver.execute_script(DRAWN) > 0)
        wide = self.one(".leaf").size["width"]
        def touch(kind, apart):
            points = [] if kind == "touchEnd" else [{"x": 180 - apart, "y": 400, "id": 1}, {"x": 180 + apart, "y": 400, "id": 2}]
            self.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        touch("touchStart", 40)
        for apart in (50, 60, 70, 80):
            touch("touchMove", apart)
        touch("touchEnd", 0)
        self.wait(lambda: self.one(".leaf").size["width"] > wide * 1.5)

    def test_selected_words_and_the_document_are_asked_about(self):
        self.open("c2")
        self.seen(".marks .passage")
        self.assertFalse(self.one(".asking button").is_displayed())
        self.driver.execute_script(
            "const line = document.querySelector('[aria-label=\"Page 14\"] .letters text'); const range = document.createRange();"
            "range.selectNodeContents(line); const all = getSelection(); all.removeAllRanges(); all.addRange(range)")
        self.wait(lambda: self.one(".asking button").is_displayed())
        self.assertIn("filter must be", self.driver.execute_script("return getSelection().toString()"))
        self.shot("viewer-selected")
        self.hit("Ask about this passage", ".asking button")
        self.wait(lambda: "(Boiler manual, p. 14)" in self.one("#question").get_attribute("value"))
        self.assertEqual(self.focus().get_attribute("id"), "question")
        self.one("#question").clear()
        self.one("#question").send_keys(" ")
        self.open("manual")
        self.hit("Ask about this document")
        self.wait(lambda: "“Boiler manual”" in self.one("#question").get_attribute("value"))

    def test_a_text_is_text_its_rows_are_a_table_and_the_passage_is_marked(self):
        self.open("c3")
        self.seen("mark.passage")
        cells = [one.text for one in self.all(".part td")]
        self.assertEqual(cells, ["Filter", "6", "Gasket", "12", "Pump", "24"])
        self.chord(Keys.CONTROL, "f")
        self.press("gasket")
        self.sees("1 of 1", ".finder")
        self.seen("mark.hit.now")
        self.clean("viewer-text")
        self.shot("viewer-text")

    def test_the_messages_of_a_thread_stand_beside_each_of_them(self):
        self.open("mail-2.txt")
        self.sees("2 more messages of this thread", ".thread")
        self.one(".thread summary").click()
        self.wait(lambda: self.one(".thread a").is_displayed())
        links = self.all(".thread a")
        self.assertEqual([one.get_attribute("href").partition("#")[2] for one in links], ["/d/mail-1.txt", "/d/mail-2.txt", "/d/mail-3.txt"])
        self.assertIn("Ann <ann@example.org>", links[0].text)
        self.assertEqual([one.get_attribute("aria-current") for one in links], [None, "page", None])
        self.clean("viewer-thread")
        self.shot("viewer-thread")
        links[2].click()
        self.wait(lambda: self.driver.execute_script("return location.hash") == "#/d/mail-3.txt")
        self.sees("2 more messages of this thread", ".thread")
        # What is no message has none.
        self.open("c3")
        self.assertFalse(self.one(".thread").is_displayed())


class ManualTest(Page):
    """A real manual of 450 pages in the real program."""

    @classmethod
    def raised(cls):
        return stage.House(hears=False, packed=False)

    def test_a_real_manual_is_opened_at_the_passage_and_turned_over(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "Mill manual.pdf"
            path.write_bytes(papers.manual(450, 300))
            rows = pathlib.Path(folder) / "Parts.csv"
            rows.write_text("Part,Weeks,Oil\nWheel,2,blue\nGear,3,red\nAxle,9,green\n")
            slides = pathlib.Path(folder) / "Talk.pptx"
            slides.write_bytes(papers.slides("The pump is cleaned weekly", "The turbine is painted crimson each autumn"))
            picture = pathlib.Path(folder) / "Wheel.png"
            picture.write_bytes(stage.png(400, 300))
            self.assertEqual(self.stage.run("import", str(path), str(rows), str(slides)).returncode, 0)
            self.stage.run("import", str(picture))
        stage.size(self.driver, 360, 740)
        self.driver.refresh()
        self.ask("At what pressure does the hidden valve behind the third wheel open?", until="17 bar")
        self.click(".chips button, .passages button")
        self.wait(lambda: self.driver.execute_script(SEEN, ".marks .passage", ".evidence .body"), "the mark in the sheet is in sight")
        self.shot("manual-evidence-360")
        self.hit("Open document")
        self.wait(lambda: self.driver.execute_script(SEEN, ".marks .passage", ".pages"), "the mark is in sight")
        self.assertEqual(self.one(".page-number").get_attribute("value"), "300")
        words = self.driver.execute_script("return document.querySelector('[aria-label=\"Page 300\"] .letters').textContent")
        self.assertIn(papers.SECRET, " ".join(words.split()))
        self.shot("manual-360")
        stage.size(self.driver, 1440, 900)
        self.driver.back()
        self.one(".composer")
        self.go("library")
        self.hit("Parts", ".item a")
        self.wait(lambda: [one.text for one in self.all(".part td")][:3] == ["Wheel", "2", "blue"])
        self.assertEqual([one.text for one in self.all(".part th")], ["Part", "Weeks", "Oil"])
        self.assertNotIn("|", self.text(".pages"))
        self.shot("table-1440")
        # Slides have numbers and no picture: their text is shown, here and beside an answer.
        self.go("new")
        self.ask("What colour is the turbine painted each autumn?", until="crimson")
        self.click(".chips button, .passages button")
        self.wait(lambda: "crimson" in self.text(".evidence blockquote mark"))
        self.assertFalse(self.all(".evidence .trouble"))
        self.hit("Open document")
        self.wait(lambda: self.driver.execute_script(SEEN, "mark.passage", ".pages"), "the slide's words are marked")
        self.sees("Page 2", ".pages")
        self.shot("slides-1440")

    def test_a_long_letter_is_opened_at_the_words_that_answer_and_keeps_its_lines(self):
        lines = [f"Paragraph {n} of the letter speaks of the garden and its hedge.\n" for n in range(40)]
        lines[30] = "COSTS\nFlights 412\nDeposit for the windmill 350\nHire car 187\n"
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "letter.txt"
            path.write_text("\n".join(lines))
            self.assertEqual(self.stage.run("import", str(path)).returncode, 0)
        self.driver.refresh()
        self.ask("How much is the deposit for the windmill?", until="350")
        # What stands on lines of its own is not run together.
        self.assertEqual(self.driver.execute_script("return getComputedStyle(document.querySelector('.words p')).whiteSpaceCollapse"), "preserve-breaks")
        self.click(".chips button")
        self.wait(lambda: self.driver.execute_script(SEEN, ".evidence mark", ".evidence .body"), "the words are marked in the sheet, and in sight")
        self.assertLess(len(self.text(".evidence mark")), 200)
        self.hit("Open document")
        self.wait(lambda: self.driver.execute_script(SEEN, "mark.passage", ".pages"), "the mark is in sight")

    def test_what_is_not_there_names_what_was_missed(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "dishwasher.txt"
            path.write_text("Error E25 means that the pump is blocked.\n\nError E18 means that no water comes in.\n")
            self.assertEqual(self.stage.run("import", str(path)).returncode, 0)
        self.driver.refresh()
        self.ask("What does error E30 mean?", until="What to try")
        self.assertIn("says nothing of \"E30\"", self.text(".answer .words"))


if __name__ == "__main__":
    unittest.main()
