"""Someone who has never seen it, in the page alone, before the real program with its real small packs."""

import json
import pathlib
import shutil
import tempfile
import unittest

from selenium.webdriver.common.keys import Keys

import stage
from page import Page

PAGES = (
    ("Boiler manual", "The boiler heats water for the house.", "It needs little care."),
    ("Care", "The water filter must be changed every four months.", "Switch the boiler off before the cover is opened."),
    ("Guarantee", "The guarantee ends after seven years.", "It asks for an inspection each year."),
)


def pdf(pages):
    """A PDF with a few lines a page, each written in a font that every reader has."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", f"<< /Type /Pages /Count {len(pages)} /Kids [{kids}] >>",
               "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    for number, lines in enumerate(pages):
        text = "BT /F1 14 Tf 72 720 Td 24 TL " + " ".join(f"({line}) Tj T*" for line in lines) + " ET"
        objects.append(f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents {5 + 2 * number} 0 R >>")
        objects.append(f"<< /Length {len(text)} >>\nstream\n{text}\nendstream")
    out, places = b"%PDF-1.4\n", []
    for number, one in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{one}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    return out + f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF\n".encode()


class NewcomerTest(Page):
    @classmethod
    def raised(cls):
        return stage.House(hears=False)

    def holding(self, word):
        """The files of the house in which a word stands."""
        return [str(file) for file in self.stage.folder.rglob("*")
                if file.is_file() and "packs" not in file.parts and word.encode() in file.read_bytes()]

    def talk(self):
        return self.driver.current_url.split("#/c/")[1]

    def destroy(self, kind):
        self.go("data")
        self.hit(f"Destroy: {kind}")
        self.one("#sure").click()
        self.one("dialog button.danger").click()
        self.sees(f"{kind}: gone.", "#toasts")

    def test_a_document_that_a_terminal_has_added_is_offered_when_one_comes_back_to_the_start_page(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "Harbour rules.txt"
            file.write_text("Boats are moored at the second pier.\n")
            self.go("settings")
            self.assertEqual(self.stage.run("import", str(file)).returncode, 0)
        self.hit("New conversation")
        self.sees("Harbour rules")
        self.sees("Added last")
        self.stage.run("documents", "remove", "Harbour rules.txt")

    def test_import_ask_evidence_mode_why_find_export_and_destroy(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="libera-newcomer-"))
        self.addCleanup(shutil.rmtree, folder)
        (folder / "Boiler manual.pdf").write_bytes(pdf(PAGES))
        self.one("input[type=file][multiple]").send_keys(str(folder / "Boiler manual.pdf"))
        self.sees("1 document added", "#toasts")

        self.ask("How often must the water filter be changed?", until="passage")
        self.wait(lambda: "four months" in self.text(".turn.answer"))
        self.click(".chips button")
        self.assertIn("page 2", self.one(".evidence img").get_attribute("alt"))
        self.sees("p. 2", "#evidence")
        self.shot("newcomer-evidence")
        self.hit("Open document")
        self.wait(lambda: self.all(".leaf .marks .passage"))
        self.assertIn("filter must be changed every four months", self.one("[aria-label='Page 2'] .letters").get_attribute("textContent"))
        self.driver.back()
        self.sees("four months", ".turn.answer")

        self.hit("Deep", ".modes label")
        self.wait(lambda: self.one("input[value=deep]").is_selected())
        self.ask("When does the guarantee end?", until="passage")
        self.wait(lambda: "seven years" in self.all(".turn.answer")[-1].text)
        self.assertIn("Deep", self.all(".turn.answer .facts")[-1].text)

        # An answer that may not be long says so, and why.
        self.go("settings")
        self.one("#set-generationTokens")
        script = "const f = document.querySelector('#set-generationTokens'); f.value = 16; f.dispatchEvent(new Event('change'))"
        self.driver.execute_script(script)
        self.go("new")
        self.driver.execute_script("document.querySelector('[aria-label=\"Kind of question\"]').value = 'talk'")
        self.ask("Tell a story about a ship and its crew on a long voyage.", until="The answer ends here")
        self.assertIn("tokens is the most an answer may have", self.text(".turn.answer"))
        self.shot("newcomer-short")
        self.hit("first word", ".turn.answer .facts button")
        self.sees("How this answer came about", "dialog")
        self.sees("Left out", "dialog")
        self.shot("newcomer-record")
        self.press(Keys.ESCAPE)

        # An old conversation is found by its words, after a restart too.
        self.stage.stop()
        self.stage.start()
        self.driver.get(self.stage.address)
        self.one("#question")
        self.hit("Search conversations", "#rail button")
        self.one("dialog input").send_keys("guarantee")
        self.wait(lambda: self.all("dialog [role=option]") and "guarantee" in self.text("dialog .finds"))
        self.press(Keys.ENTER)
        self.sees("How often must the water filter be changed?")
        self.sees("When does the guarantee end?")
        self.shot("newcomer-found")

        # Exported as JSON and imported it is the same; as Markdown it can be read, with its citations as footnotes.
        (script, name) = ("window.saved = []; URL.createObjectURL = (blob) => { blob.text().then((text) => window.saved.push(text)); return '#'; }", "How often must")
        self.driver.execute_script(script)
        for form in ("Save to take in again", "Save to read"):
            self.hit(f"More for {name}", "#rail button")
            self.hit(form, "dialog button")
        self.wait(lambda: self.driver.execute_script("return window.saved.length") == 2)
        as_json, as_markdown = self.driver.execute_script("return window.saved")
        self.assertIn("## How often must the water filter be changed?", as_markdown)
        self.assertRegex(as_markdown, r"four months[^\n]*\[\^1\]")
        self.assertRegex(as_markdown, r"\[\^1\]: Boiler manual[^\n]*, p\. 2, “")
        before = self.shown(self.talk())
        # What can be destroyed is said to be there.
        self.go("data")
        self.wait(lambda: len(self.all("article.card .badge")) >= 5)
        self.assertEqual(self.driver.execute_script(
            "return [...document.querySelectorAll('article.card')].filter((one) => one.querySelector('.badge')?.innerText === '0 now' && !one.querySelector('.danger').disabled).map((one) => one.innerText)"), [])
        self.destroy("Conversations")
        self.assertEqual(self.holding("long voyage"), [])
        file = folder / "talk.json"
        file.write_text(as_json)
        self.go("data")
        self.one("#main input[type=file][accept*=json]").send_keys(str(file))
        self.sees("1 conversation taken in", "#toasts")
        self.hit("How often must", "#rail a")
        self.sees("When does the guarantee end?")
        self.assertEqual(self.shown(self.talk()), before)
        self.destroy("Conversations")

        self.assertTrue(self.holding("four months"))
        self.destroy("Documents")
        self.assertEqual(self.holding("four months"), [])
        self.destroy("Everything")
        self.go("library")
        self.sees("Documents you add are read")

    def shown(self, talk):
        """The turns of a conversation, as the program has stored them."""
        told = json.loads(self.stage.run("conversations", "show", talk, "--json").stdout)
        return [(turn["question"], turn["answer"], turn["record"]["citations"], turn["shown"]) for turn in told["turns"]]


if __name__ == "__main__":
    unittest.main()
