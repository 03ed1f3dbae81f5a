"""Files attached to a question, by the real program: read, asked, listed, and gone with their conversation."""

import unittest

from selenium.webdriver.common.keys import Keys

import house


class AttachmentsTest(house.HouseTest):
    SECRET = "Zwiebelturm"

    def lease(self):
        file = self.tools / "Lease of the old mill.md"
        file.write_text(f"# Lease\n\nThe monthly rent of the old mill at {self.SECRET} is 940 euros.\n\nDogs are not allowed.\n")
        return file

    def holding(self, word):
        """The files of the house in which a word stands."""
        return [str(file) for file in self.house.folder.rglob("*")
                if file.is_file() and "packs" not in file.parts and word.encode() in file.read_bytes()]

    def test_an_attached_file_is_asked_listed_and_gone_with_its_conversation(self):
        self.all(".composer input[type=file]")[1].send_keys(str(self.lease()))
        self.sees("Lease of the old mill", ".composer .attached")
        self.wait(lambda: self.text(".composer .attached li .small") == "", "it is read")
        self.clean("attached")
        self.all("#question")[0].send_keys("How much is the rent?", Keys.ENTER)
        self.wait(lambda: self.all(".turn.answer .facts span"), "the answer")
        self.wait(lambda: "940" in self.text(".turn.answer"))
        self.sees("Lease of the old mill", ".turn.you .attached")
        self.assertFalse(self.all(".composer .attached")[0].is_displayed())
        self.clean("attached-answer")
        talk = self.driver.current_url
        # It is in no library and no other conversation.
        self.driver.get(talk.split("#")[0] + "#/library")
        self.wait(lambda: self.all(".empty"), "an empty library")
        self.driver.get(talk.split("#")[0] + "#/new")
        self.wait(lambda: self.all("#question"))
        self.all("#question")[0].send_keys("How much is the rent of the old mill?", Keys.ENTER)
        self.wait(lambda: self.all(".turn.answer .facts span"))
        self.assertNotIn("940", self.text(".turn.answer"))
        # After a reload it still stands with its message.
        self.driver.get(talk)
        self.driver.refresh()
        self.sees("Lease of the old mill", ".turn.you .attached")
        self.assertTrue(self.holding(self.SECRET))
        self.press("More for How much is the rent?", "#rail button")
        self.press("Remove", "dialog button")
        self.wait(lambda: self.all("#sure"))
        self.all("#sure")[0].click()
        self.press("Remove", "dialog button.danger")
        self.wait(lambda: "How much is the rent?" not in self.text("#rail"))
        self.wait(lambda: not self.holding(self.SECRET), "nothing of it is left")

    def test_files_are_attached_by_dropping_and_pasting_and_taken_away(self):
        script = """
          const [kind, name, text] = arguments;
          const data = new DataTransfer();
          data.items.add(new File([text], name, { type: 'text/plain' }));
          const field = document.querySelector('#question');
          field.dispatchEvent(kind === 'paste' ? new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
            : new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));"""
        self.driver.execute_script(script, "drop", "dropped.txt", f"The {self.SECRET} opens at nine.")
        self.driver.execute_script(script, "paste", "pasted.txt", "The shop opens at ten.")
        self.sees("dropped.txt", ".composer .attached")
        self.sees("pasted.txt", ".composer .attached")
        self.wait(lambda: len(self.all(".composer .attached li")) == 2 and "read" not in self.text(".composer .attached"))
        self.press("Take dropped.txt away", ".attached button")
        self.wait(lambda: len(self.all(".composer .attached li")) == 1)
        self.wait(lambda: not self.holding(self.SECRET))
        # What cannot be read says so and is left behind.
        self.driver.execute_script(script, "drop", "broken.pdf", "%PDF-1.7 no more")
        self.wait(lambda: self.all(".composer .attached li.failed"), "the failure")
        self.clean("attachment-failed")


if __name__ == "__main__":
    unittest.main()
