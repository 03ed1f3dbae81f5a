"""The real server and page over a house of cardboard (Tests/ServerTests/Stage.swift), and a headless Chromium before it."""

import os
import pathlib
import struct
import subprocess
import tempfile
import time
import zlib

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHOTS = pathlib.Path(os.environ.get("LIBERA_SHOTS", tempfile.mkdtemp(prefix="libera-shots-")))


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

    def stop(self):
        (self.folder / "stop").touch()
        self.process.wait()

    def restart(self):
        self.stop()
        self.start()


def browser(width=1440, height=900, dark=False):
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", f"--window-size={width},{height}",
                     "--force-device-scale-factor=1", "--hide-scrollbars", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    size(driver, width, height)
    appearance(driver, dark)
    return driver


def size(driver, width, height):
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                           {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})


def appearance(driver, dark, reduced=True):
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
        {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
        {"name": "prefers-reduced-motion", "value": "reduce" if reduced else "no-preference"}]})
