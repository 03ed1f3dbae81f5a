"""The first choice of packs, before the real program and a server on this machine that stands for the publisher's."""

import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import stage
from page import Page

SMALL = "smollm2-135m-instruct-q4_1"


class Publisher:
    """Tests/ModelsTests/server.py with the packs that the tests have, and a catalogue that names no other place."""

    def __init__(self, packs):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="libera-publisher-"))
        served = self.folder / "served"
        served.mkdir()
        self.process = subprocess.Popen(
            [sys.executable, "-B", str(stage.ROOT / "Tests/ModelsTests/server.py"), str(served)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.address = f"http://127.0.0.1:{self.process.stdout.readline().strip()}"
        self.log = served / "requests.log"
        catalogue = json.loads((stage.ROOT / "Packs/catalogue.json").read_text())
        for pack in catalogue["packs"]:
            here = sorted((packs / pack["id"]).glob("weights-????????????.*"))
            if here:
                os.link(here[0], served / pack["id"])
            elif pack["kind"] in ("speech", "vad"):
                # What is never loaded here need not be what it is called.
                (served / pack["id"]).write_bytes(pack["id"].encode() * 50_000)
            if (served / pack["id"]).exists():
                data = (served / pack["id"]).read_bytes()
                pack.update(bytes=len(data), sha256=hashlib.sha256(data).hexdigest(), hash="catalogue")
            part = {"url": f"{self.address}/slow/256/{pack['id']}", "bytes": pack["bytes"]}
            file = {"name": "weights", "bytes": pack["bytes"], "sha256": pack.get("sha256"), "parts": [part]}
            pack["sources"] = [{"name": "a server of the test's", "files": [{k: v for k, v in file.items() if v}]}]
        root = self.folder / "root"
        (root / "Packs").mkdir(parents=True)
        (root / "Packs/catalogue.json").write_text(json.dumps(catalogue))
        (root / "Web").symlink_to(stage.ROOT / "Web")
        (root / "NOTICE").symlink_to(stage.ROOT / "NOTICE")
        self.root = root

    def asked(self):
        return self.log.read_text().splitlines() if self.log.exists() else []

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
        shutil.rmtree(self.folder)


class Choosing(Page):
    """What both tests look at; no test by itself."""

    def installed(self):
        packs = [json.loads(line) for line in self.stage.run("packs", "list", "--json").stdout.splitlines()]
        return [pack["id"] for pack in packs if pack.get("installed")]

    def all_there(self):
        self.wait(lambda: len(self.installed()) == 2)
        self.wait(lambda: self.text() and not self.all("#main .card.notice:not([hidden])"))


class BeginningTest(Choosing):
    @classmethod
    def raised(cls):
        packs = pathlib.Path(os.environ.get("LIBERA_TEST_HOME", pathlib.Path.home() / ".cache/libera/test-home")) / "packs"
        if not (packs / SMALL).exists():
            raise unittest.SkipTest("the test packs are missing")
        cls.publisher = Publisher(packs)
        cls.addClassCleanup(cls.publisher.close)
        before = os.environ.get("LIBERA_ROOT")
        os.environ["LIBERA_ROOT"] = str(cls.publisher.root)
        cls.addClassCleanup(lambda: os.environ.update(LIBERA_ROOT=before) if before else os.environ.pop("LIBERA_ROOT"))
        return stage.House(hears=False, packed=False)

    def share(self):
        return self.driver.execute_script("return [...document.querySelectorAll('#main progress')].map(one => one.value)")

    def test_what_is_chosen_is_fetched_goes_on_while_no_page_is_open_and_answers(self):
        self.sees("Something is missing for full answers")
        # At once: what is still being found out may draw them anew.
        labels = "return [...document.querySelectorAll('#main fieldset.choice label')].map(one => one.innerText)"
        self.wait(lambda: len(self.driver.execute_script(labels)) == 3)
        ways = self.driver.execute_script(labels)
        self.assertIn("SmolLM2 135M and", ways[0])
        self.assertIn("145 MB · 14 s at 10 MB/s · Apache-2.0", ways[0])
        self.assertIn("tok/s", ways[1])
        self.assertIn("GB", ways[1])
        self.assertEqual(self.publisher.asked(), [], "something was fetched before anybody chose")
        self.clean("beginning")
        self.shot("beginning")

        self.hit("Get SmolLM2 135M", "#main button")
        self.wait(lambda: len(self.share()) == 2 and max(self.share()) > 0.05)
        self.shot("beginning-fetching")
        # The browser is closed, and another one opened by a link of its own.
        before = max(self.share())
        type(self).driver.quit()
        link = json.loads(self.stage.run("serve", "--json").stdout)["page"]
        type(self).driver = stage.browser()
        self.addClassCleanup(self.driver.quit)
        self.driver.get(link)
        # It shows how far it has come since, or that all is there.
        self.wait(lambda: self.share() and max(self.share()) >= before or len(self.installed()) == 2)
        self.shot("beginning-again")
        self.all_there()
        fetched = [line for line in self.publisher.asked() if line.startswith("GET")]
        self.assertEqual(len(fetched), 2, fetched)
        self.driver.execute_script("document.querySelector('[aria-label=\"Kind of question\"]').value = 'talk'")
        self.ask("What is the capital of France?")

        # Hearing is offered where somebody wants to speak, and nothing of it was fetched before.
        self.one(".mic").click()
        self.sees("Hearing needs its packs", "dialog")
        self.sees("MIT", "dialog")
        self.shot("beginning-hearing")
        self.assertEqual(len([line for line in self.publisher.asked() if line.startswith("GET")]), 2)
        self.hit("Get Whisper", "dialog button")
        self.sees("Everything for hearing is here", "#toasts")
        self.assertEqual(len([line for line in self.publisher.asked() if line.startswith("GET")]), 4)


class BundleTest(Choosing):
    @classmethod
    def raised(cls):
        home = pathlib.Path(os.environ.get("LIBERA_TEST_HOME", pathlib.Path.home() / ".cache/libera/test-home"))
        if not (home / "packs" / SMALL).exists():
            raise unittest.SkipTest("the test packs are missing")
        cls.file = pathlib.Path(tempfile.mkdtemp(prefix="libera-bundle-")) / "libera-models-0.tar"
        cls.addClassCleanup(shutil.rmtree, cls.file.parent)
        script = stage.ROOT / "Packaging/archive.py"
        subprocess.run(
            [sys.executable, "-B", str(script), "bundle", str(home), str(cls.file), "1790000000", SMALL, "all-minilm-l6-v2-f16"], check=True)
        return stage.House(hears=False, packed=False)

    def test_a_file_of_models_is_taken_in_without_a_network(self):
        self.assertEqual(self.stage.run("settings", "set", "offline", "true").returncode, 0)
        self.driver.refresh()
        self.sees("Offline is set")
        self.assertEqual(len(self.all("#main fieldset.choice label")), 1)
        self.sees("needs no network")
        self.shot("beginning-offline")
        self.named("Choose the file")
        self.one(".notice input[type=file]").send_keys(str(self.file))
        self.all_there()
        self.driver.execute_script("document.querySelector('[aria-label=\"Kind of question\"]').value = 'talk'")
        self.ask("What is the capital of France?")


class OtherLanguageTest(Page):
    """Both first packs are there: what a person who speaks another language than English lacks is offered, and nobody else."""

    @classmethod
    def raised(cls):
        return stage.House(hears=False)

    def tearDown(self):
        self.driver.execute_script("localStorage.removeItem('language')")
        super().tearDown()

    def test_what_reads_the_persons_language_is_offered_with_what_it_fetches(self):
        self.assertEqual(self.all("#main fieldset.choice"), [])
        for language, lacks in (("de", "Für Fragen auf Deutsch fehlt etwas"), ("fr", "comprendre les questions en français")):
            self.driver.execute_script("localStorage.setItem('language', arguments[0])", language)
            self.driver.refresh()
            self.sees(lacks)
            # At once: what is still being found out may draw it anew.
            way = self.driver.execute_script("return document.querySelector('#main fieldset.choice label').innerText")
            self.assertEqual(way.split("\n")[0], "Universal Sentence Encoder Multilingual 3")
            self.assertRegex(way, r"\b32\sM[Bo]\b")
            self.shot(f"beginning-{language}")


if __name__ == "__main__":
    unittest.main()
