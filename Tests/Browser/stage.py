"""The real server and page over a house of cardboard (Tests/ServerTests/Stage.swift), and a headless browser before it: Chromium,
or Firefox where LIBERA_BROWSER says firefox."""

import json
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile
import time
import unittest
import wave
import zlib

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

import firefox

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHOTS = pathlib.Path(os.environ.get("LIBERA_SHOTS", tempfile.mkdtemp(prefix="libera-shots-")))
SHOTS.mkdir(parents=True, exist_ok=True)
FIREFOX = os.environ.get("LIBERA_BROWSER") == "firefox"


def png(width, height):
    """A page with grey lines and one of them marked."""
    rows = bytearray()
    for y in range(height):
        line = (y // 14) % 2 == 0 and 40 < y < height - 40
        marked = 120 <= y < 150
        rows.append(0)
        for x in range(width):
            inside = 40 < x < width - 40
            colour = (255, 233, 168) if marked and inside else (255, 255, 255)
            if line and inside and (x * 7 + y // 14) % 29 > 6:
                colour = (90, 90, 90)
            rows += bytes(colour)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(rows))) + chunk(b"IEND", b"")


RECORDINGS = pathlib.Path(os.environ.get("LIBERA_RECORDINGS", ROOT / "../shared/data/speech/piper")).resolve()


class House:
    """The real program with real packs in a folder of its own; `address` lets one browser in."""

    def __init__(self, *options, hears=True, packed=True):
        self.options = options
        packs = pathlib.Path(os.environ.get("LIBERA_TEST_HOME", pathlib.Path.home() / ".cache/libera/test-home")) / "packs"
        self.program = os.environ.get("LIBERA_PROGRAM", str(ROOT / ".build/debug/libera"))
        if not packs.exists() or not pathlib.Path(self.program).exists() or hears and not (RECORDINGS / "20.wav").exists():
            raise unittest.SkipTest("the program, its test packs or the recordings are missing")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="libera-house-"))
        # The weights are shared, nothing else is.
        if packed:
            subprocess.run(["cp", "-al", str(packs), str(self.folder / "packs")], check=True)
        # Measuring threads anew in each house would only cost time.
        (self.folder / "settings.json").write_text('{"threads": 2}')
        self.port = "0"
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [self.program, "serve", "--no-open", "--json", "--home", str(self.folder), "--port", self.port, *self.options],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("the program did not start to serve")
        self.address = json.loads(line)["page"]
        self.port = self.address.split(":")[2].split("/")[0]

    def stop(self):
        self.process.terminate()
        self.process.wait(30)
        self.process.stdout.close()

    def close(self):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, *arguments, **more):
        return subprocess.run([self.program, *arguments, "--home", str(self.folder)], capture_output=True, timeout=120, **more)

    def key(self, *rights):
        """A new key; with every right unless some are named."""
        rights = ",".join(rights or ("ask", "embed", "transcribe", "act", "manage"))
        return json.loads(self.run("keys", "add", f"test {time.time_ns()}", "--rights", rights, "--json").stdout)["key"]

    def link(self):
        """A link for one more browser."""
        return json.loads(self.run("serve", "--json").stdout)["page"]

    def workers(self, engine):
        """The processes of the program's workers of one kind."""
        found = subprocess.run(["pgrep", "-f", f"libera-worker.*{engine}"], capture_output=True, text=True).stdout.split()
        mine = {str(self.process.pid)}
        # The launcher stands between, so the whole line of parents is looked at.
        def parents(pid):
            while pid not in ("0", "1"):
                yield pid
                try:
                    pid = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1]
                except OSError:
                    return
        return [int(pid) for pid in found if mine & set(parents(pid))]


class Desktop:
    """A session bus with a notification service on it, for every program that is started from here on."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="libera-desktop-"))
        self.service = subprocess.Popen(
            ["python3", ROOT / "Tests/Shims/desktop.py", self.folder], stdout=subprocess.PIPE, text=True)
        if self.service.stdout.readline() != "ready\n":
            raise RuntimeError("the session bus did not start")
        self.before = os.environ.get("DBUS_SESSION_BUS_ADDRESS")
        os.environ["DBUS_SESSION_BUS_ADDRESS"] = f"unix:path={self.folder}/bus"

    def notices(self):
        return (self.folder / "notices.txt").read_text()

    def close(self):
        os.environ.pop("DBUS_SESSION_BUS_ADDRESS")
        if self.before is not None:
            os.environ["DBUS_SESSION_BUS_ADDRESS"] = self.before
        shutil.rmtree(self.folder)
        self.service.wait()
        self.service.stdout.close()


def said(number):
    return (RECORDINGS / f"{number:02}.txt").read_text().strip()


def microphone(*numbers, before=1.0, between=1.5, after=20.0):
    """A WAV file for the browser's microphone: recordings with silence around them."""
    file = pathlib.Path(tempfile.mkdtemp(prefix="libera-sound-")) / "microphone.wav"
    with wave.open(str(file), "wb") as out:
        out.setparams((1, 2, 16000, 0, "NONE", ""))
        silence = lambda seconds: out.writeframes(b"\0\0" * int(16000 * seconds))
        silence(before)
        for number in numbers:
            with wave.open(str(RECORDINGS / f"{number:02}.wav"), "rb") as clip:
                out.writeframes(clip.readframes(clip.getnframes()))
            silence(between)
        silence(after)
    return file


class Stage:
    """Starts the server; `address` lets one browser in. `restart` keeps port and folder."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="libera-stage-"))
        (self.folder / "page.png").write_bytes(png(400, 520))
        self.port = "0"
        self.start()

    def start(self):
        for name in ("stop", "address"):
            (self.folder / name).unlink(missing_ok=True)
        program = os.environ.get("LIBERA_TESTS", str(ROOT / ".build/debug/liberaPackageTests.xctest"))
        environment = dict(os.environ, LIBERA_STAGE=str(self.folder), LIBERA_STAGE_PORT=self.port)
        self.process = subprocess.Popen(
            [program, "--filter", "ServerTests.Stage", "--testing-library", "swift-testing"],
            env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT)
        while not (self.folder / "address").exists():
            if self.process.poll() is not None:
                raise RuntimeError("the stage did not start; build the tests first")
            time.sleep(0.05)
        self.address = (self.folder / "address").read_text()
        self.port = self.address.split(":")[2].split("/")[0]

    def hold(self, holds=True):
        """Whether answers to questions with the word "held" stop after their first word."""
        (self.folder / "hold").touch() if holds else (self.folder / "hold").unlink(missing_ok=True)

    def stop(self):
        (self.folder / "stop").touch()
        self.process.wait()

    close = stop

    def restart(self):
        self.stop()
        self.start()


def browser(width=1440, height=900, dark=False, sound=None, denied=False):
    """`sound`: the file that its microphone plays. Firefox has none: its sound begins with a device that plays."""
    if FIREFOX:
        driver = firefox.driver()
        size(driver, width, height)
        appearance(driver, dark)
        return driver
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", f"--window-size={width},{height}",
                     "--force-device-scale-factor=1", "--hide-scrollbars", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    if sound:
        options.add_argument("--use-fake-device-for-media-stream")
        options.add_argument(f"--use-file-for-fake-audio-capture={sound}%noloop")
        if not denied:
            options.add_argument("--use-fake-ui-for-media-stream")
    if denied:
        options.add_experimental_option("prefs", {"profile.default_content_setting_values.media_stream_mic": 2})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    size(driver, width, height)
    appearance(driver, dark)
    return driver


def size(driver, width, height):
    if FIREFOX:
        firefox.size(driver, width, height)
        return
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                           {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})


def appearance(driver, dark, reduced=True):
    if FIREFOX:
        firefox.appearance(driver, dark, reduced)
        return
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
        {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
        {"name": "prefers-reduced-motion", "value": "reduce" if reduced else "no-preference"}]})
