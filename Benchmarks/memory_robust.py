"""What an import does with files made to break it, and when it is killed."""
import collections
import io
import json
import random
import signal
import subprocess
import time
import zipfile


def libera_lines(libera, home, *words):
    result = subprocess.run([libera, *words, "--home", str(home), "--json"], capture_output=True, text=True)
    return result.returncode, [json.loads(line) for line in result.stdout.splitlines()], result.stderr


def pdf(pages):
    """A small PDF with one line on each page."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for text in pages:
        kids.append(f"{len(objects) + 1} 0 R")
        content = f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET"
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> "
            f"/Contents {len(objects) + 2} 0 R >>")
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    file, offsets = b"%PDF-1.4\n", []
    for number, text in enumerate(objects, 1):
        offsets.append(len(file))
        file += f"{number} 0 obj\n{text}\nendobj\n".encode()
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    return file + (
        f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
        f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(file)}\n%%EOF\n").encode()


def package(entries):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in entries.items():
            archive.writestr(name, text)
    return out.getvalue()


WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def docx(body):
    return package({
        "[Content_Types].xml": "<Types/>",
        "word/document.xml": f"<?xml version='1.0'?><w:document {WORD}><w:body>{body}</w:body></w:document>"})


def seeds():
    return {
        "pdf": pdf(["Some words.", "More words."]), "docx": docx("<w:p><w:r><w:t>Text</w:t></w:r></w:p>"),
        "html": b"<!doctype html><h1>A</h1><table><tr><th>x</th><td>y</td></tr></table>",
        "md": b"# T\n\n- a\n- b\n\n|a|b|\n|-|-|\n|c|d|\n", "csv": b'a,b\n1,2\n3,"4\n5"\n',
        "jsonl": b'{"_id":"1","text":"x"}\n{"_id":"2","text":"y"}\n', "swift": b"func a() {\n  return 1\n}\n",
        "txt": "Grüße aus Köln.".encode("utf-16"), "epub": package({"mimetype": "application/epub+zip", "a": "b"}),
        "odt": package({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": "<a>x</a>"}),
    }


def bombs():
    """Each would cost far more than its bytes if nothing held it back."""
    laughs = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))
    loop = pdf(["x"]).replace(b"/Kids [4 0 R]", b"/Kids [2 0 R]")
    return {
        "zip-bomb.docx": docx("<w:p><w:r><w:t>" + "a" * (400 << 20) + "</w:t></w:r></w:p>"),
        "entities.docx": package({
            "[Content_Types].xml": "<Types/>",
            "word/document.xml": f'<!DOCTYPE d [<!ENTITY a0 "ha">{laughs}]><w:document {WORD}>&a9;</w:document>'}),
        "deep.html": b"<div>" * 200_000, "deep.docx": docx("<w:sdt>" * 50_000), "loop.pdf": loop,
        "truncated.pdf": pdf(["x"] * 50)[:3_000], "locked.pdf": pdf(["x"]).replace(b"/Root", b"/Encrypt 1 0 R /Root"),
        "pages.pdf": pdf(["A line."] * 10_000), "line.jsonl": b'{"_id": "1", "text": "' + b"a" * (40 << 20),
    }


def broken(random_source, count=300):
    kinds = list(seeds().items())
    for number in range(count):
        kind, data = kinds[number % len(kinds)]
        data = bytearray(data)
        if random_source.random() < 0.35:
            del data[random_source.randrange(len(data)):]
        for _ in range(random_source.randint(1, 20)):
            if not data:
                break
            at = random_source.randrange(len(data))
            choice = random_source.randrange(3)
            if choice == 0:
                data[at] = random_source.randrange(256)
            elif choice == 1:
                del data[at]
            else:
                data[at:at] = bytes([data[at]]) * random_source.randint(1, 40)
        yield f"broken-{number:03}.{kind}", bytes(data)


def malformed(libera, home):
    folder = home / "papers"
    folder.mkdir()
    hostile = bombs()
    files = dict(broken(random.Random(42))) | hostile
    for name, data in files.items():
        (folder / name).write_bytes(data)
    (folder / "sound.txt").write_text("The last file is sound.")
    began = time.monotonic()
    code, events, errors = libera_lines(libera, home, "import", str(folder))
    ends = collections.Counter(event["event"] for event in events if event["event"] in ("done", "skipped", "failed"))
    print(f"{len(files)} malformed files: exit {code}, {dict(ends)}, {time.monotonic() - began:.0f} s {errors.strip()}")
    for event in events:
        if event.get("document") in hostile and event["event"] != "progress":
            print(f"  {event['document']}: {event['event']}, {event.get('reason', '')}")
    sound = [event for event in events if event.get("document") == "sound.txt" and event["event"] == "done"]
    assert code == 0 and sum(ends.values()) == len(files) + 1 and sound, "every file must end, and the sound one well"


def kills(libera, home, count=50):
    folder = home / "papers"
    folder.mkdir()
    lines = [json.dumps({"_id": f"r{n}", "text": f"Record {n} tells of number{n}."}) for n in range(2_000)]
    (folder / "corpus.jsonl").write_text("\n".join(lines))
    for number in range(20):
        (folder / f"{number}.pdf").write_bytes(pdf([f"Page {page} of file {number}." for page in range(30)]))
    draw = random.Random(1)
    for _ in range(count):
        process = subprocess.Popen(
            [libera, "import", str(folder), "--home", str(home), "--json"], stdout=subprocess.DEVNULL)
        time.sleep(draw.uniform(0.05, 2.5))
        process.send_signal(signal.SIGKILL)
        process.wait()
    code, _, errors = libera_lines(libera, home, "import", str(folder))
    assert code == 0, errors
    _, documents, _ = libera_lines(libera, home, "documents", "list")
    states = collections.Counter(document["state"] for document in documents)
    names = {document["document"] for document in documents}
    print(f"after {count} kills: {len(documents)} documents, {dict(states)}")
    assert len(documents) == len(names) == 2_020 and set(states) == {"ready"}, "lost, doubled or unready"
