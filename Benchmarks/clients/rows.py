"""What a row is, and the server that all rows talk to. The rows stand in programs.py and llama.py."""

import dataclasses
import json
import pathlib
import sys
import typing
import urllib.error
import urllib.request

import anthropic
import ollama
import openai

import place

BIN = pathlib.Path(sys.executable).parent
PACK = "smollm2-135m-instruct-q4_1"
EMBEDDER = "all-minilm-l6-v2-f16"
FRANCE = [{"role": "user", "content": "What is the capital of France?"}]
TOOL = {"type": "function", "function": {"name": "weather", "parameters": {
    "type": "object", "required": ["city"], "properties": {"city": {"type": "string", "maxLength": 30}}}}}
ORIGIN = "https://chat.example.org"
FILTER = "How often must the water filter be changed?"


@dataclasses.dataclass
class Row:
    program: str
    what: str
    check: typing.Callable
    why: str = ""


class Server:
    def __init__(self):
        self.place = place.Place()
        self.place.run("settings", "set", "origins", json.dumps([ORIGIN]))
        address, self.key = self.place.serve()
        self.address = address.rstrip("/")
        self.headers = {"Authorization": f"Bearer {self.key}"}
        self.openai = openai.OpenAI(base_url=self.address + "/v1", api_key=self.key, max_retries=0, timeout=120)
        self.anthropic = anthropic.Anthropic(base_url=self.address, api_key=self.key, max_retries=0, timeout=120)
        self.ollama = ollama.Client(host=self.address, headers=self.headers, timeout=120)

    def end(self):
        self.openai.close()
        self.anthropic.close()
        self.place.remove()

    def send(self, path, body=None, headers=None, method=None):
        """(status, JSON or text) of a plain request."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.address + path, data, {**self.headers, "Content-Type": "application/json", **(headers or {})}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                status, text = answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read().decode()
        try:
            return status, json.loads(text)
        except ValueError:
            return status, text


def expect(condition, words=""):
    if not condition:
        raise AssertionError(words or "it was otherwise")


ROWS = []
LLAMA = []


def row(program, what, why="", to=ROWS):
    def add(check):
        to.append(Row(program, what, check, why))
        return check
    return add
