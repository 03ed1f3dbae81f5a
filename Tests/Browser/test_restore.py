"""A backup that is chosen in the page takes the place of everything, or of nothing."""

import json
import pathlib
import tempfile
import unittest
import urllib.error
import urllib.request

import stage
from page import Page


class RestoreTest(Page):
    @classmethod
    def raised(cls):
        return stage.House(hears=False, packed=False)

    def talks(self):
        return self.text("#talks")

    def choose(self, file, password=""):
        self.one("#restore-file").send_keys(str(file))
        self.one("#restore-password").send_keys(password)
        self.click("#restore-file ~ .row button")

    def agree(self, words):
        self.sees(words, "dialog")
        self.assertIn("models, keys of other programs", self.text("dialog"))
        self.click("#sure")
        self.hit("Replace everything by the backup", "dialog button")

    def test_a_backup_is_put_back_whole_or_not_at_all(self):
        self.ask("Where was the kept question asked?", until=None)
        self.wait(lambda: "kept question" in self.talks())
        self.wait(lambda: not self.all(".made"))
        self.go("data")
        self.one("#backup-password").send_keys("correct horse")
        self.hit("Write the backup", "button")
        self.sees("in the backup", "#toasts")
        backup = next((self.stage.folder / "backups").glob("*.backup"))
        with tempfile.TemporaryDirectory() as folder:
            self.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": folder})
            self.hit("Save a copy", "button")
            copy = pathlib.Path(folder) / backup.name
            self.wait(lambda: copy.exists() and copy.read_bytes() == backup.read_bytes())
        self.ask_after("Where was the later question asked?")
        self.go("data")
        self.clean("restore")
        with tempfile.TemporaryDirectory() as folder:
            broken = pathlib.Path(folder) / "broken.backup"
            data = bytearray(backup.read_bytes())
            data[len(data) // 2] ^= 1
            broken.write_bytes(data)
            self.choose(broken, "correct horse")
            self.agree("Replace everything by broken.backup?")
            self.sees("is damaged", ".trouble")
            self.assertIn("later question", self.talks())
            self.assertFalse([one for one in self.stage.folder.iterdir() if "restore" in one.name], "nothing is left of it")
        self.driver.refresh()
        self.one("#restore-file")
        # Who thinks better of it has lost nothing.
        self.choose(backup)
        self.sees("Replace everything by", "dialog")
        self.assertIn("conversation", self.text("dialog"))
        self.clean("restore-asked")
        self.hit("Cancel", "dialog button")
        self.click("#restore-file ~ .row button")
        self.agree("Replace everything by")
        self.sees("password", ".trouble")
        self.one("#restore-password").send_keys("correct horse")
        self.click("#restore-file ~ .row button")
        self.agree("Replace everything by")
        self.sees("Restored: ", "dialog")
        self.clean("restored")
        self.assertEqual(self.stage.process.wait(), 0)
        self.stage.process.stdout.close()
        self.stage.start()
        self.driver.get(self.stage.address)
        self.wait(lambda: "kept question" in self.talks() and "later question" not in self.talks())

    def ask_after(self, question):
        self.go("new")
        self.ask(question, until=None)
        self.wait(lambda: "later question" in self.talks())
        self.wait(lambda: not self.all(".made"))

    def test_what_more_is_known_of_an_error_is_told_in_the_language_of_the_page(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "notes.backup"
            file.write_bytes(b"no backup")
            try:
                for language, words in (("en", "opened without its"), ("de", "ohne ihr Kennwort niemand"), ("fr", "sans son mot de passe, par personne")):
                    self.driver.execute_script("localStorage.setItem('language', arguments[0])", language)
                    self.driver.refresh()
                    self.go("data")
                    self.choose(file)
                    self.click("#sure")
                    self.click("dialog button.danger")
                    self.click("#main .trouble summary")
                    self.wait(lambda: words in self.text("#main .trouble details div").replace("\n", " "), words)
                    self.assertEqual(self.one("#main .trouble details div").get_attribute("lang"), language)
            finally:
                self.driver.execute_script("localStorage.removeItem('language')")

    def test_a_key_puts_nothing_back(self):
        def send(method, path, body, kind):
            asked = urllib.request.Request(
                self.base + path, data=body, method=method,
                headers={"Authorization": f"Bearer {key}", "Content-Type": kind})
            return json.loads(urllib.request.urlopen(asked).read())

        key = self.stage.key()
        handed = send("PUT", "api/uploads?name=a.backup", b"no backup", "application/octet-stream")["upload"]
        with self.assertRaises(urllib.error.HTTPError) as refused:
            send("POST", "api/restore", json.dumps({"upload": handed, "replacing": True}).encode(), "application/json")
        self.assertEqual(json.loads(refused.exception.read())["error"]["code"], "person_only")


if __name__ == "__main__":
    unittest.main()
