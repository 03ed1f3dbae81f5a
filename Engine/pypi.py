#!/usr/bin/env python3
"""Fetches one file of a Python package, by its checksum, through the index that pip itself uses.

    pypi.py fetch NAME VERSION PATTERN SHA256 TO  downloads it (resuming what is there), verifies it, then renames it
    pypi.py index TO                              writes down which index pip asks where nobody has set one

`pip download` would run a source package's build only to read its metadata, and cannot resume; so the index page is
read here. No index is named in this project: the address is pip's own default, or whatever pip was configured with.
"""
import fnmatch, hashlib, html.parser, os, subprocess, sys, time, urllib.error, urllib.parse, urllib.request


def index_url():
    if os.environ.get("PIP_INDEX_URL"):
        return os.environ["PIP_INDEX_URL"]
    asked = subprocess.run([sys.executable, "-m", "pip", "config", "get", "global.index-url"],
                           capture_output=True, text=True)
    if asked.returncode == 0 and asked.stdout.strip():
        return asked.stdout.strip()
    return default_index()


def default_index():
    from pip._internal.models.index import PyPI
    return PyPI.simple_url


class Links(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.hrefs = []

    def handle_starttag(self, tag, attributes):
        if tag == "a":
            self.hrefs += [value for name, value in attributes if name == "href" and value]


def file_url(name, version, pattern):
    page = index_url().rstrip("/") + "/" + name.lower().replace("_", "-").replace(".", "-") + "/"
    request = urllib.request.Request(page, headers={"Accept": "text/html"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        links = Links()
        links.feed(answer.read().decode())
    for href in links.hrefs:
        address = urllib.parse.urldefrag(urllib.parse.urljoin(page, href)).url
        file = urllib.parse.unquote(address.rsplit("/", 1)[-1])
        if f"-{version}" in file and fnmatch.fnmatch(file, pattern):
            return address
    raise SystemExit(f"no file of {name} {version} matches {pattern}")


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


def transfer(address, part):
    """Appends what is missing to `part`; returns when the server says the file is complete."""
    have = os.path.getsize(part) if os.path.exists(part) else 0
    request = urllib.request.Request(address, headers={"Range": f"bytes={have}-"} if have else {})
    try:
        answer = urllib.request.urlopen(request, timeout=60)
    except urllib.error.HTTPError as error:
        if error.code == 416:  # nothing is missing
            return
        raise
    with answer, open(part, "ab" if answer.status == 206 else "wb") as file:
        have = have if answer.status == 206 else 0
        total = have + int(answer.headers.get("Content-Length") or 0)
        shown = 0.0
        while chunk := answer.read(1 << 18):
            file.write(chunk)
            have += len(chunk)
            if sys.stderr.isatty() and time.monotonic() - shown > 0.2:
                shown = time.monotonic()
                print(f"\r    {have / 1e6:.1f} of {total / 1e6:.1f} MB ", end="", file=sys.stderr)
        if sys.stderr.isatty():
            print("\r" + " " * 40 + "\r", end="", file=sys.stderr)


def fetch(name, version, pattern, expected, to):
    if os.path.exists(to) and sha256(to) == expected:
        return
    part = to + ".part"
    address = file_url(name, version, pattern)
    for attempt in range(4):
        try:
            transfer(address, part)
            break
        except OSError as error:
            if attempt == 3:
                raise SystemExit(f"{name} {version}: {error}")
            time.sleep(2 ** attempt)
    found = sha256(part)
    if found != expected:
        os.remove(part)
        raise SystemExit(f"{name} {version}: expected SHA-256 {expected}, got {found}; the file was deleted")
    os.replace(part, to)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["fetch", name, version, pattern, expected, to]:
            fetch(name, version, pattern, expected, to)
        case ["index", to]:
            with open(to, "w") as file:
                file.write(default_index() + "\n")
        case _:
            raise SystemExit(__doc__)
