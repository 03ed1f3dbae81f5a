#!/usr/bin/env python3
"""Lays out what is installed: tree.py ROOT PROGRAMS ENGINE PDFIUM SWIFT LICENCES VERSION EPOCH TREE

  bin/libera            a link to the program
  lib/libera/           the programs, every library they need, and all that they read; whole wherever it lies
  share/                manual, completions, desktop entry, icon, licences
"""
import gzip
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import libraries
import manual
import sbom

DESKTOP = """[Desktop Entry]
Type=Application
Name=LiberaGPT
GenericName=Private assistant
Comment=Ask your own documents, on this device alone
Exec=libera serve
Icon=libera
Terminal=true
Categories=Utility;
Keywords=assistant;documents;search;speech;
"""


def programs(built, engine, pdfium, home):
    """The two programs with their resources and libraries; returns pairs of the system's libraries and their copies."""
    own = [built / "libera", built / "libera-worker"]
    for program in own:
        libraries.take(program, home / program.name, "$ORIGIN")
    for folder in sorted(built.glob("libera_*.resources")):
        shutil.copytree(folder, home / folder.name)
    found = libraries.needed(own, [engine / "lib", pdfium / "lib"])
    swift = sorted(name for name in found if name.startswith("libswift") or name.startswith("libFoundation"))
    if swift:
        raise SystemExit(f"Swift's libraries are not linked in: {', '.join(swift)}")
    for name, place in found.items():
        libraries.take(place, home / name, "$ORIGIN")
    for form in sorted((engine / "forms").iterdir()):
        (home / form.name).mkdir()
        libraries.take(form / "libggml-cpu.so.0", home / form.name / "libggml-cpu.so.0", "$ORIGIN/..")
    # Loaded only where a graphics card and Vulkan's own library are; that one is the system's, because its drivers are.
    card = engine / "lib/libggml-vulkan.so"
    if card.exists():
        libraries.take(card, home / card.name, "$ORIGIN")
    ours = (str(engine.resolve()), str(pdfium.resolve()))
    return [(place, home / name) for name, place in found.items() if not str(place.resolve()).startswith(ours)]


def what_it_reads(root, home):
    shutil.copytree(root / "Web", home / "Web")
    (home / "Packs").mkdir()
    for name in ("catalogue.json", "index"):
        shutil.copyfile(root / "Packs" / name, home / "Packs" / name)
    shutil.copyfile(root / "NOTICE", home / "NOTICE")
    (home / "docs").mkdir()
    for troubles in (root / "docs").glob("troubles*.md"):
        shutil.copyfile(troubles, home / "docs" / troubles.name)
    (home / "tessdata").mkdir()
    languages = Path("/usr/share/tesseract-ocr/5/tessdata")
    for name in ("deu", "eng", "fra", "osd"):
        shutil.copyfile(languages / f"{name}.traineddata", home / "tessdata" / f"{name}.traineddata")


def whose_work(root, licences, pdfium, swift, found, doc):
    """The licence of each part, word for word."""
    place = doc / "licences"
    place.mkdir(parents=True)
    shutil.copyfile(root / "LICENSE", doc / "LICENSE")
    shutil.copyfile(root / "NOTICE", doc / "NOTICE")
    shutil.copyfile(pdfium / "LICENSES", place / "pdfium")
    shutil.copyfile(swift / "share/swift/LICENSE.txt", place / "swift")
    for file in sorted(licences.iterdir()):
        shutil.copyfile(file, place / file.name)
    packages = {libraries.owner(place)[0] for place, _ in found} | {"tesseract-ocr-eng"}
    for package in sorted(packages):
        shutil.copyfile(f"/usr/share/doc/{package}/copyright", place / package)


def packed(text, out, epoch):
    with open(out, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=epoch) as file:
        file.write(text.encode())


def share(program, root, version, epoch, folder):
    places = {name: folder / name for name in (
        "man/man1", "applications", "icons/hicolor/scalable/apps", "bash-completion/completions",
        "zsh/vendor-completions", "fish/vendor_completions.d")}
    for place in places.values():
        place.mkdir(parents=True)
    page = places["man/man1"] / "libera.1"
    manual.write(program, version, epoch, page)
    packed(page.read_text(), page.with_suffix(".1.gz"), epoch)
    page.unlink()
    (places["applications"] / "libera.desktop").write_text(DESKTOP)
    shutil.copyfile(root / "Web/icon.svg", places["icons/hicolor/scalable/apps"] / "libera.svg")
    bash = manual.asked(program, "completions", "bash")
    (places["bash-completion/completions"] / "libera").write_text(bash)
    (places["fish/vendor_completions.d"] / "libera.fish").write_text(manual.asked(program, "completions", "fish"))
    # zsh loads this file at the first Tab: it must answer that one too, and its name is the function's.
    zsh = re.sub(r"_libera\b", "_libera_words", bash).replace(" ./libera", "")
    (places["zsh/vendor-completions"] / "_libera").write_text(
        f"#compdef libera\nautoload -Uz bashcompinit && bashcompinit\n{zsh}_bash_complete -o default -F _libera_words\n")
    for name in ("README.md", "docs/install.md", "docs/troubles.md", "docs/cli.md"):
        shutil.copyfile(root / name, folder / "doc/libera" / Path(name).name)


def main():
    root, built, engine, pdfium, swift, licences, version, epoch, tree = sys.argv[1:]
    root, built, engine, pdfium, swift, licences, tree = map(
        Path, (root, built, engine, pdfium, swift, licences, tree))
    os.umask(0o022)
    shutil.rmtree(tree, ignore_errors=True)
    home, doc = tree / "lib/libera", tree / "share/doc/libera"
    home.mkdir(parents=True)
    (tree / "bin").mkdir()
    os.symlink("../lib/libera/libera", tree / "bin/libera")
    found = programs(built, engine, pdfium, home)
    what_it_reads(root, home)
    whose_work(root, licences, pdfium, swift, found, doc)
    share(str(home / "libera"), root, version, int(epoch), tree / "share")
    files = [file for file in home.rglob("*") if file.is_file() and ".so" in file.name]
    libraries.check_versions([home / "libera", home / "libera-worker", *files])
    libraries.check_hardening([home / "libera", home / "libera-worker"], files)
    libraries.check_forms(home)
    told = subprocess.run(["swift", "--version"], check=True, capture_output=True, text=True).stdout
    count = sbom.write(root, home, version, int(epoch), re.search(r"Swift version (\S+)", told)[1], found)
    for file in tree.rglob("*"):
        if file.is_file() and not file.is_symlink():
            file.chmod(0o755 if file.name in ("libera", "libera-worker") and file.parent == home else 0o644)
    print(f"{len(files)} libraries, {count} parts in the list of what is inside")


if __name__ == "__main__":
    main()
