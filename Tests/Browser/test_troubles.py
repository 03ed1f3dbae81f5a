"""What goes wrong, provoked in the real program: every error says what happened and what to do."""

import pathlib
import shutil
import tempfile
import unittest

from selenium.webdriver.common.keys import Keys

import stage
from page import Page

TEXT = "# Mill\n\nThe old mill has three wheels. The miller of the old mill is called Ansgar.\n"


class TroublesTest(Page):
    @classmethod
    def raised(cls):
        return stage.House(hears=False)

    def add(self, name="Mill.md"):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="libera-troubles-"))
        self.addCleanup(shutil.rmtree, folder)
        (folder / name).write_text(TEXT)
        self.one("input[type=file][multiple]").send_keys(str(folder / name))
        self.sees("1 document added", "#toasts")

    def test_a_document_removed_while_its_passage_is_open(self):
        self.add()
        self.ask("Who is the miller of the old mill?", until="passage")
        self.assertEqual(self.stage.run("documents", "remove", "Mill.md").returncode, 0)
        self.click(".chips button")
        self.sees("It was removed since. The answer keeps the words it quotes", "#evidence")
        self.sees("Ansgar", "#evidence")
        self.clean("trouble-removed")
        self.shot("trouble-removed")
        self.hit("Open document")
        self.sees("It was removed since", "#main")

    def test_the_program_that_is_gone_and_comes_back(self):
        self.one("#question").send_keys("Hello")
        self.stage.stop()
        self.sees("not connected", "#strip")
        self.one("#question").send_keys(Keys.ENTER)
        self.sees("The program on this device does not answer.")
        self.sees("Start it again with")
        self.assertEqual(self.one("#question").get_attribute("value"), "Hello")
        self.assertFalse(self.all(".turn.you"))
        self.clean("trouble-gone")
        self.shot("trouble-gone")
        # A session ends with its program: the page says so and how it goes on, and does by itself when this browser is let in.
        self.stage.start()
        self.sees("This page is signed out", "dialog")
        self.sees("libera serve", "dialog")
        self.clean("trouble-signed-out")
        self.driver.get(self.stage.address)
        self.wait(lambda: not self.all("dialog"))
        self.sees("ready", "#strip")
        self.wait(lambda: "does not answer" not in self.text("#main") + self.text("#toasts"))
        self.assertEqual(self.one("#question").get_attribute("value"), "Hello")
        self.one("#question").send_keys(Keys.ENTER)
        self.wait(lambda: self.all(".turn.you"))
        self.driver.get_log("browser")

    def test_a_damaged_pack_is_named_with_what_mends_it(self):
        files = list((self.stage.folder / "packs/smollm2-135m-instruct-q4_1").glob("*.gguf"))
        for file in files:
            file.rename(file.with_suffix(".kept"))
        try:
            for file in files:
                file.write_bytes(file.with_suffix(".kept").read_bytes()[:1_000_000])
            self.driver.execute_script("document.querySelector('[aria-label=\"Kind of question\"]').value = 'talk'")
            self.ask("Tell a story about a ship.", until=None)
            self.wait(lambda: self.all(".turn.answer .trouble") or "cannot" in self.text(".turn.answer"))
            self.clean("trouble-pack")
            self.shot("trouble-pack")
            self.assertIn("Get it again on the page Packs", self.text(".turn.answer"))
            self.click(".turn.answer .trouble summary")
            self.sees("libera packs verify", ".turn.answer .trouble")
            self.clean("trouble-pack-more")
            self.shot("trouble-pack-more")
        finally:
            for file in files:
                file.with_suffix(".kept").replace(file)
            # What was found changed is not used again before it was looked at.
            self.assertEqual(self.stage.run("packs", "verify", "smollm2-135m-instruct-q4_1").returncode, 0)

    def test_a_file_that_is_no_document(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="libera-troubles-"))
        self.addCleanup(shutil.rmtree, folder)
        for name, content in (("broken.pdf", b"%PDF-1.7\nno more"), ("empty.txt", b""), ("noise.bin", bytes(range(256)) * 64)):
            (folder / name).write_bytes(content)
        self.go("library")
        self.one("#main input[type=file]").send_keys("\n".join(str(one) for one in folder.iterdir()))
        self.wait(lambda: self.text().count("could not be read") == 3)
        self.clean("trouble-files")
        self.shot("trouble-files")

    def test_a_conversation_that_is_gone(self):
        self.driver.get(self.base + "#/c/6d1c4b0a-0c57-4a55-9c0e-6a1f0a3f2b11")
        self.sees("Try again")
        self.shot("trouble-conversation")


class WithoutPacksTest(Page):
    @classmethod
    def raised(cls):
        return stage.House(hears=False, packed=False)

    def test_without_packs_answers_quote_and_the_page_offers_what_is_missing(self):
        self.sees("Something is missing for full answers")
        self.shot("nothing-here")
        self.hit("Try a sample document", "#main button")
        self.wait(lambda: self.one("#question").get_attribute("value"))
        self.ask("", until="passage")
        self.sees("six months", ".turn.answer")
        self.shot("quoted")
        self.go("new")
        self.driver.execute_script("document.querySelector('[aria-label=\"Kind of question\"]').value = 'talk'")
        self.ask("Tell a story about a ship.", until="No chat pack is installed")
        self.assertTrue(self.all(".turn.answer .notice button"))
        self.clean("without-pack")
        self.shot("without-pack")
        self.one(".mic").click()
        self.sees("Hearing needs its packs", "dialog")
        self.sees("MIT", "dialog")
        self.clean("without-hearing")
        self.shot("without-hearing")
        self.hit("Not now", "dialog button")


if __name__ == "__main__":
    unittest.main()
