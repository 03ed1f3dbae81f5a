"""The real program over a fresh home with the prepared packs and one document."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("LIBERA_PROGRAM", str(ROOT / ".build/debug/libera"))
PREPARED = pathlib.Path(os.environ.get("LIBERA_TEST_HOME", pathlib.Path.home() / ".cache/libera/test-home"))
BOILER = "# Boiler\n\nThe water filter of the boiler must be changed every 4 months.\n"


class Place:
    def __init__(self):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="libera-clients-"))
        subprocess.run(["cp", "-al", PREPARED / "packs", self.home / "packs"], check=True)
        shutil.rmtree(self.home / "packs/.staging", ignore_errors=True)
        (self.home / "settings.json").write_text('{"threads": 2}')
        document = self.home / "boiler.md"
        document.write_text(BOILER)
        self.run("import", document)
        self.server = None

    def words(self, *words):
        return [PROGRAM, *map(str, words), "--home", str(self.home)]

    def run(self, *words):
        return subprocess.run(self.words(*words), check=True, capture_output=True, text=True).stdout

    def serve(self):
        """The base address and a key with every right."""
        self.server = subprocess.Popen(self.words("serve", "--no-open", "--json"), stdout=subprocess.PIPE, text=True)
        address = json.loads(self.server.stdout.readline())["address"]
        return address, self.run("keys", "add", "client", "--rights", "ask,embed,transcribe,act,manage").strip()

    def remove(self):
        if self.server:
            self.server.terminate()
            self.server.wait()
            self.server.stdout.close()
        shutil.rmtree(self.home)


def fetch(address, key, path):
    request = urllib.request.Request(address.rstrip("/") + path, headers={"Authorization": f"Bearer {key}"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)
