"""Firefox as Debian has it, behind the same Selenium as Chromium. No geckodriver can be had from Debian or PyPI: it only hands on
what Firefox understands by itself, over the protocol that is spoken here (Marionette: one JSON list after its length, over TCP).

What WebDriver has no words for (a window as narrow as a phone, light or dark, what went wrong in the page) is asked in the
browser's own context."""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

from selenium.webdriver import FirefoxOptions
from selenium.webdriver.remote.command import Command
from selenium.webdriver.remote.webdriver import WebDriver

PROGRAM = os.environ.get("LIBERA_FIREFOX", "firefox-esr")

# Nothing is fetched, asked or shown besides the page.
PREFERENCES = {
    "marionette.port": 0,
    "remote.prefs.recommended": True,
    "app.normandy.enabled": False,
    "app.update.disabledForTesting": True,
    "browser.startup.page": 0,
    "datareporting.policy.dataSubmissionEnabled": False,
    "intl.accept_languages": "en-US",
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "services.settings.server": "data:,#remote-settings-dummy/v1",
    "toolkit.telemetry.enabled": False,
    "ui.prefersReducedMotion": 1,
    "layout.css.devPixelsPerPx": "1.0",
}

COMMANDS = {
    Command.NEW_SESSION: "WebDriver:NewSession", Command.GET: "WebDriver:Navigate", Command.GO_BACK: "WebDriver:Back",
    Command.GO_FORWARD: "WebDriver:Forward", Command.REFRESH: "WebDriver:Refresh", Command.CLOSE: "WebDriver:CloseWindow",
    Command.NEW_WINDOW: "WebDriver:NewWindow", Command.SWITCH_TO_WINDOW: "WebDriver:SwitchToWindow",
    Command.W3C_GET_CURRENT_WINDOW_HANDLE: "WebDriver:GetWindowHandle", Command.W3C_GET_WINDOW_HANDLES: "WebDriver:GetWindowHandles",
    Command.FIND_ELEMENT: "WebDriver:FindElement", Command.FIND_ELEMENTS: "WebDriver:FindElements",
    Command.FIND_CHILD_ELEMENT: "WebDriver:FindElement", Command.FIND_CHILD_ELEMENTS: "WebDriver:FindElements",
    Command.W3C_GET_ACTIVE_ELEMENT: "WebDriver:GetActiveElement", Command.CLICK_ELEMENT: "WebDriver:ElementClick",
    Command.CLEAR_ELEMENT: "WebDriver:ElementClear", Command.SEND_KEYS_TO_ELEMENT: "WebDriver:ElementSendKeys",
    Command.GET_ELEMENT_TEXT: "WebDriver:GetElementText", Command.GET_ELEMENT_TAG_NAME: "WebDriver:GetElementTagName",
    Command.GET_ELEMENT_RECT: "WebDriver:GetElementRect", Command.GET_ELEMENT_PROPERTY: "WebDriver:GetElementProperty",
    Command.GET_ELEMENT_VALUE_OF_CSS_PROPERTY: "WebDriver:GetElementCSSValue", Command.IS_ELEMENT_ENABLED: "WebDriver:IsElementEnabled",
    Command.IS_ELEMENT_SELECTED: "WebDriver:IsElementSelected", Command.GET_TITLE: "WebDriver:GetTitle",
    Command.GET_CURRENT_URL: "WebDriver:GetCurrentURL", Command.GET_PAGE_SOURCE: "WebDriver:GetPageSource",
    Command.W3C_EXECUTE_SCRIPT: "WebDriver:ExecuteScript", Command.W3C_EXECUTE_SCRIPT_ASYNC: "WebDriver:ExecuteAsyncScript",
    Command.SCREENSHOT: "WebDriver:TakeScreenshot", Command.SET_TIMEOUTS: "WebDriver:SetTimeouts",
    Command.W3C_ACTIONS: "WebDriver:PerformActions", Command.W3C_CLEAR_ACTIONS: "WebDriver:ReleaseActions",
    Command.W3C_ACCEPT_ALERT: "WebDriver:AcceptAlert", Command.W3C_DISMISS_ALERT: "WebDriver:DismissAlert",
    Command.QUIT: "Marionette:Quit",
}


class Marionette:
    """What Selenium hands its commands to: one Firefox in a profile of its own."""

    client_config = None

    def __init__(self):
        self.profile = pathlib.Path(tempfile.mkdtemp(prefix="libera-firefox-"))
        (self.profile / "user.js").write_text(
            "".join(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in PREFERENCES.items()))
        self.process = subprocess.Popen(
            [PROGRAM, "--headless", "--no-remote", "--marionette", "--remote-allow-system-access", "--profile", self.profile],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(os.environ, HOME=str(self.profile)))
        told = self.profile / "MarionetteActivePort"
        while not (told.exists() and told.read_text().strip()):
            if self.process.poll() is not None:
                raise RuntimeError("Firefox did not start")
            time.sleep(0.05)
        self.socket = socket.create_connection(("127.0.0.1", int(told.read_text())))
        self.stream = self.socket.makefile("rb")
        self.number = 0
        self.hear()  # a greeting

    def hear(self):
        length = b""
        while not length.endswith(b":"):
            one = self.stream.read(1)
            if not one:
                raise ConnectionError("Firefox has gone")
            length += one
        return json.loads(self.stream.read(int(length[:-1])))

    def tell(self, name, parameters):
        self.number += 1
        message = json.dumps([0, self.number, name, parameters]).encode()
        self.socket.sendall(f"{len(message)}:".encode() + message)
        _, _, failure, result = self.hear()
        return failure, result

    def execute(self, command, parameters):
        """Called by Selenium, which wants an answer in the form of geckodriver's."""
        parameters = {name: value for name, value in (parameters or {}).items() if name != "sessionId"}
        if command == Command.NEW_SESSION:
            parameters = {"pageLoadStrategy": "normal", "unhandledPromptBehavior": "ignore"}
        elif command == Command.QUIT:
            if self.process.poll() is not None:
                return {"value": None}
            parameters = {"flags": ["eForceQuit"]}
        elif command == Command.SCREENSHOT:
            parameters = {"full": False}
        elif command in (Command.FIND_CHILD_ELEMENT, Command.FIND_CHILD_ELEMENTS):
            parameters["element"] = parameters.pop("id")
        failure, result = self.tell(COMMANDS[command], parameters)
        if failure:
            return {"status": failure["error"], "value": failure["message"]}
        return {"value": result["value"] if isinstance(result, dict) and set(result) == {"value"} else result}

    def inside(self, script, *arguments):
        """Runs a script in the browser's own context."""
        self.tell("Marionette:SetContext", {"value": "chrome"})
        failure, result = self.tell("WebDriver:ExecuteScript", {"script": script, "args": arguments})
        self.tell("Marionette:SetContext", {"value": "content"})
        if failure:
            raise RuntimeError(failure["message"])
        return result["value"]

    def troubles(self):
        """What went wrong in pages since this was asked last, as Chromium's log tells it."""
        found = self.inside("""
          const found = Services.console.getMessageArray().filter((one) => one instanceof Ci.nsIScriptError && !(one.flags & one.warningFlag)
            && one.sourceName.startsWith('http:')).map((one) => `${one.sourceName}:${one.lineNumber} ${one.errorMessage}`);
          Services.console.reset();
          return found""")
        return [{"level": "SEVERE", "message": message} for message in found]

    def close(self):
        self.stream.close()
        self.socket.close()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)


class Firefox(WebDriver):
    def get_log(self, _):
        return self.command_executor.troubles()


def driver():
    made = Firefox(command_executor=Marionette(), options=FirefoxOptions())
    # Files are where it is: none is sent to it.
    made._is_remote = False
    made.set_script_timeout(int(os.environ.get("LIBERA_PATIENCE", "240")))
    return made


def size(made, width, height):
    """The page's own room; the window around it can be no narrower than its buttons."""
    made.command_executor.inside("""
      const [width, height] = arguments;
      window.resizeTo(Math.max(width, 500) + 40, height + 200);
      const { style } = gBrowser.selectedBrowser;
      for (const [name, length] of [['width', width], ['height', height]])
        for (const one of ['min-', 'max-', '']) style.setProperty(one + name, `${length}px`, 'important');""", width, height)
    until = time.monotonic() + 60
    while made.execute_script("return [innerWidth, innerHeight]") != [width, height]:
        if time.monotonic() > until:
            raise RuntimeError(f"the window did not become {width} by {height}")
        time.sleep(0.02)


def appearance(made, dark, reduced):
    made.command_executor.inside("""
      gBrowser.selectedBrowser.browsingContext.prefersColorSchemeOverride = arguments[0] ? 'dark' : 'light';
      Services.prefs.setIntPref('ui.prefersReducedMotion', arguments[1] ? 1 : 0)""", dark, reduced)
