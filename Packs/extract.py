#!/usr/bin/env python3
"""Writes one member of an archive to a file, streaming.

    extract.py ARCHIVE MEMBER OUT

ARCHIVE is a zip, a wheel or a tar; a member inside an archive inside it is named `outer.zip!member`. The member's name
only selects; it never becomes a path.
"""
import os, shutil, sys, tarfile, zipfile
import sealed


def copy(source, out):
    with open(out, "wb") as file:
        shutil.copyfileobj(source, file, 1 << 20)


def extract(archive, member, out):
    outer, _, inner = member.partition("!")
    target = out + ".inner" if inner else out
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as opened, opened.open(outer) as source:
            copy(source, target)
    else:
        with tarfile.open(archive) as opened:
            for entry in opened:  # in order: a tar has no index, and its end need not be read
                if entry.name == outer and entry.isreg():
                    copy(opened.extractfile(entry), target)
                    break
            else:
                raise KeyError(f"There is no item named {outer!r} in the archive")
    if inner:
        extract(target, inner, out)
        os.remove(target)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    sealed.seal()
    try:
        extract(*sys.argv[1:])
    except (KeyError, zipfile.BadZipFile, tarfile.TarError, EOFError, NotImplementedError) as error:
        raise SystemExit(f"{os.path.basename(sys.argv[1])}: {error}")
