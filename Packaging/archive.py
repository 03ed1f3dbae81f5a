#!/usr/bin/env python3
"""Archives that come out the same to the byte: in the order of their names, of one time, owned by nobody in particular.

  archive.py tree FOLDER OUT.tar.gz EPOCH     the folder, under its own name
  archive.py bundle HOME OUT.tar EPOCH ID...  the packs that are installed in HOME, as `libera packs install` takes them
"""
import gzip
import io
import json
import sys
import tarfile
from pathlib import Path


def entry(archive, file, name, epoch):
    info = archive.gettarinfo(str(file), name)
    info.uid = info.gid = 0
    info.uname = info.gname = "root"
    info.mtime = epoch
    if info.isfile():
        info.type = tarfile.REGTYPE  # never a link to another of the same content
        info.size = file.stat().st_size
        info.mode = 0o755 if info.mode & 0o100 else 0o644
        with open(file, "rb") as data:
            archive.addfile(info, data)
    else:
        info.mode = 0o777 if info.issym() else 0o755
        archive.addfile(info)


def tree(folder, out, epoch):
    with open(out, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=epoch) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
            for file in [folder, *sorted(folder.rglob("*"))]:
                entry(archive, file, str(Path(folder.name) / file.relative_to(folder)), epoch)


def bundle(home, out, epoch, ids):
    """Nothing but plain files with the published weights; Sources/Models/ModelBundle.swift takes nothing else."""
    records = {name: json.loads((home / "packs" / name / "pack.json").read_text()) for name in ids}
    with tarfile.open(out, "w", format=tarfile.USTAR_FORMAT) as archive:
        words = "".join(f"{r['pack']['name']}: {r['pack']['licence']}; from {r['source']}\n" for r in records.values())
        info = tarfile.TarInfo("LICENCES")
        (info.size, info.mtime, info.mode) = (len(words.encode()), epoch, 0o644)
        archive.addfile(info, io.BytesIO(words.encode()))
        for name, record in records.items():
            weights = home / "packs" / name / record["file"]
            entry(archive, weights, name + weights.suffix, epoch)


if __name__ == "__main__":
    what, place, out, epoch = sys.argv[1:5]
    if what == "tree":
        tree(Path(place), out, int(epoch))
    elif what == "bundle":
        bundle(Path(place), out, int(epoch), sys.argv[5:])
    else:
        sys.exit(__doc__)
