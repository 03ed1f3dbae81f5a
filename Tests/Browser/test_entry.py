"""How a browser gets in, what it does when it is let go, and what others on this device see of it."""

import http.server
import json
import os
import pathlib
import pty
import re
import signal
import subprocess
import tempfile
import threading
import time
import unittest


import stage
from page import Page

OPENER = """#!/bin/sh
cp "$(printf %s "$1" | sed s,^file://,,)" "$TOLD.new" && mv "$TOLD.new" "$TOLD"
exec chromium --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run --user-data-dir="$TOLD.profile" "$1"
"""


def command_lines():
    """Of every process, as every user of the machine may read them."""
    found = []
    for place in pathlib.Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                found.append((place / "cmdline").read_bytes().decode(errors="replace"))
            except OSError:  # it ended meanwhile
                pass
    return found


class Stranger(http.server.BaseHTTPRequestHandler):
    """Another program on the port: it agrees to everything and keeps what it is told."""

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.told.append(f"{self.command} {self.path}\n{self.headers}\n".encode() + body)
        told = json.dumps({"proof": "0" * 64, "session": "x", "operations": ["ask"]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    do_GET = do_POST = do_PUT = do_DELETE = answer

    def log_message(self, *words):
        pass


def listening(port, handler):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
    server.told = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class EntryTest(Page):
    @classmethod
    def raised(cls):
        return stage.House(hears=False, packed=False)

    def setUp(self):
        self.enter(self.stage.link())
        super().setUp()

    def enter(self, link):
        self.driver.get(link)
        self.wait(lambda: self.all("#strip .state") and not self.all("dialog.shut"), "the page")

    def write(self, words):
        self.go("new")
        self.one("#question").send_keys(words)

    def draft(self):
        return self.driver.execute_script("return document.querySelector('#question').value")

    def sessions(self):
        told = self.stage.run("sessions", "list", "--json").stdout.decode()
        return [json.loads(line) for line in told.splitlines()]

    def test_the_page_has_no_cookie_and_one_session_for_each_browser(self):
        self.enter(self.stage.link())
        self.enter(self.stage.link())
        self.assertEqual(self.driver.get_cookies(), [])
        self.wait(lambda: len(self.sessions()) == 1, "earlier sessions of this browser have ended")
        self.assertRegex(self.sessions()[0]["browser"], r"^Chrome \d+ on Linux$")
        self.driver.refresh()
        self.one("#question")
        self.assertEqual(len(self.sessions()), 1)

    def test_a_page_that_is_let_go_says_so_and_goes_on_when_another_tab_is_let_in(self):
        self.write("half a question")
        first = self.driver.current_window_handle
        self.driver.switch_to.new_window("tab")
        self.addCleanup(self.driver.switch_to.window, first)
        second = self.driver.current_window_handle
        self.enter(self.stage.link())
        self.write("another half")
        self.stage.run("sessions", "end", "--all")
        for tab, words in ((first, "half a question"), (second, "another half")):
            self.driver.switch_to.window(tab)
            self.sees("This page is signed out", "dialog")
            self.clean("let-go")
            self.shot("let-go")
            self.assertEqual(self.draft(), words)
        self.driver.switch_to.new_window("tab")
        self.enter(self.stage.link())
        self.driver.close()
        for tab, words in ((second, "another half"), (first, "half a question")):
            self.driver.switch_to.window(tab)
            self.wait(lambda: not self.all("dialog"), "the tab goes on")
            self.assertEqual(self.draft(), words)
            if tab == second:
                self.driver.close()
        self.driver.switch_to.window(first)
        self.sees("ready", "#strip")

    def test_another_program_on_the_port_learns_neither_the_secret_nor_a_word(self):
        self.write("something private")
        secret = self.driver.execute_script("return JSON.parse(localStorage.session).secret")
        self.stage.stop()
        other = listening(int(self.stage.port), Stranger)
        try:
            self.sees("Another program answers in place of Libera", "dialog")
            # Even what the page does by itself, and a link that leads to the wrong program.
            self.driver.execute_script("document.dispatchEvent(new Event('visibilitychange'))")
            self.driver.get(self.base + "#key=" + "a" * 64)
            time.sleep(6)
            self.assertTrue(other.told)
            for told in other.told:
                self.assertRegex(told, rb"^(GET /api/session/(x|[0-9a-f-]+)\?nonce=[0-9a-f]{64}|POST /api/session)\n")
                for word in (secret, "a" * 64, "Bearer", "private"):
                    self.assertNotIn(word.encode(), told)
        finally:
            other.shutdown()
            other.server_close()
            self.stage.start()
        self.enter(self.stage.address)
        self.assertEqual(self.draft(), "something private")

    def test_pages_of_other_servers_reach_nothing(self):
        class Other(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.server.told.append(str(self.headers))
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(b"<!doctype html><title>other</title>")

            def log_message(self, *words):
                pass

        other = listening(0, Other)
        self.addCleanup(other.server_close)
        self.addCleanup(other.shutdown)
        before = self.sessions()
        home = self.driver.current_window_handle
        for name in ("127.0.0.1", "localhost"):
            self.driver.get(f"http://{name}:{other.server_address[1]}/")
            script = """const [base, done] = arguments; (async () => {
              const tried = {};
              const attempt = async (name, act) => { try { tried[name] = await act(); } catch (error) { tried[name] = error.name; } };
              const post = { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } };
              await attempt('read', async () => (await fetch(base + 'api/ping')).status);
              await attempt('simple', async () => (await fetch(base + 'api/sessions-end', { method: 'POST', mode: 'no-cors', body: '{}' })).status);
              await attempt('asked', async () => (await fetch(base + 'api/sessions-end', post)).status);
              await attempt('page', async () => (await fetch(base, { mode: 'no-cors' })).type);
              await attempt('script', () => new Promise((go) => { const one = document.createElement('script'); one.src = base + 'js/api.js'; one.onload = () => go('loaded'); one.onerror = () => go('refused'); document.head.append(one); }));
              await attempt('frame', () => new Promise((go) => { const one = document.createElement('iframe'); one.src = base; one.onload = () => { try { go(one.contentDocument ? 'empty' : 'foreign'); } catch { go('foreign'); } }; document.body.append(one); }));
              done(tried);
            })()"""
            tried = self.driver.execute_async_script(script, self.base)
            self.assertEqual(tried["read"], "TypeError", tried)
            self.assertEqual(tried["asked"], "TypeError", tried)
            self.assertIn(tried["simple"], (0, "TypeError"), tried)
            self.assertEqual(tried["script"], "refused", tried)
            self.driver.switch_to.frame(self.all("iframe")[0])
            self.assertNotIn("Libera", self.driver.execute_script("return document.title"))
            self.assertEqual(self.all("#house"), [])
            self.driver.switch_to.default_content()
            # A window that it opens is the page, which does not know who opened it.
            self.driver.execute_script("window.opened = open(arguments[0])", self.base)
            self.wait(lambda: len(self.driver.window_handles) == 2)
            self.driver.switch_to.window(next(one for one in self.driver.window_handles if one != home))
            if name == "localhost":  # from another site; between two ports of one host a browser says "same-site"
                self.one("#question")
                self.assertIsNone(self.driver.execute_script("return window.opener"))
            else:
                self.assertEqual(self.all("#question"), [])
            self.driver.close()
            self.driver.switch_to.window(home)
        self.assertEqual([one["id"] for one in self.sessions()], [one["id"] for one in before])
        self.assertFalse([told for told in other.told if "Cookie" in told or "Authorization" in told])
        self.driver.get_log("browser")  # the refusals stand there

    def test_sessions_and_keys_are_shown_and_ended_in_the_page(self):
        self.stage.run("keys", "add", "Editor", "--rights", "ask,embed")
        self.go("diagnostics")
        self.sees("Editor · asks, embeds")
        self.sees("this one")
        self.clean("let-in")
        self.shot("let-in")
        self.hit("Revoke: Editor")
        self.sees("Editor holds no longer", "#toasts")
        self.wait(lambda: "Editor ·" not in self.text())
        self.assertNotIn("Editor", self.stage.run("keys", "list").stdout.decode())
        self.hit("Sign out: Chrome")
        self.sees("This page is signed out", "dialog")
        self.enter(self.stage.link())


class OpenedTest(unittest.TestCase):
    def test_the_browser_that_serve_opens_comes_in_and_no_command_line_says_how(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="libera-opened-"))
        self.addCleanup(subprocess.run, ["rm", "-rf", str(folder)])
        opener = folder / "bin/xdg-open"
        opener.parent.mkdir()
        opener.write_text(OPENER)
        opener.chmod(0o700)
        home, told = folder / "home", folder / "told"
        program = os.environ.get("LIBERA_PROGRAM", str(stage.ROOT / ".build/debug/libera"))
        child, terminal = pty.fork()
        if child == 0:
            os.environ.update(PATH=f"{opener.parent}:{os.environ['PATH']}", TOLD=str(told))
            os.execv(program, [program, "serve", "--home", str(home), "--port", "0"])
        printed = bytearray()

        def read():
            try:
                while True:
                    printed.extend(os.read(terminal, 4096))
            except OSError:  # it ended
                pass

        threading.Thread(target=read, daemon=True).start()
        lines, sessions = set(), []
        try:
            while not sessions:
                lines.update(command_lines())
                if told.exists():
                    run = subprocess.run([program, "sessions", "list", "--json", "--home", str(home)], capture_output=True, text=True)
                    sessions = run.stdout.splitlines()
            lines.update(command_lines())
            code = re.search("#key=([0-9a-f]{64})", told.read_text())[1]
            self.assertTrue(any("hand-over-" in line for line in lines), "the browser was started")
            # The link on the terminal is another code, and on no command line either.
            links = re.findall("#key=([0-9a-f]{64})", printed.decode())
            self.assertEqual(len(links), 1)
            self.assertNotEqual(links[0], code)
            for secret in [code, *links, "#key="]:
                self.assertEqual([line for line in lines if secret in line], [])
            while list(home.glob("hand-over-*")):
                time.sleep(0.05)
        finally:
            browsers = [int(place.name) for place in pathlib.Path("/proc").iterdir()
                        if place.name.isdigit() and str(folder) in self.words(place)]
            os.kill(child, signal.SIGTERM)
            os.waitpid(child, 0)
            for one in browsers:
                try:
                    os.kill(one, signal.SIGKILL)
                except OSError:
                    pass
            os.close(terminal)

    @staticmethod
    def words(place):
        try:
            return (place / "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            return ""


if __name__ == "__main__":
    unittest.main()
