#!/usr/bin/env python3
"""Makes the Debian package of what tree.py laid out: debian.py TREE VERSION EPOCH WORK OUT.deb

The same files as in the tar file, under /usr, with all libraries: so one package fits Debian 12 and 13 and Ubuntu, whose versions of
them differ.
"""
import gzip
import hashlib
import os
import shutil
import subprocess
import sys
from datetime import datetime, timezone
from email.utils import format_datetime
from pathlib import Path

NOBODY = "The LiberaGPT authors <libera@localhost>"
MAINTAINER = os.environ.get("LIBERA_MAINTAINER", NOBODY)

CONTROL = """Package: libera
Version: {version}
Architecture: amd64
Maintainer: {maintainer}
Installed-Size: {size}
Depends: libc6 (>= 2.36), libgcc-s1 (>= 12), libstdc++6 (>= 12)
Recommends: ca-certificates, xdg-utils
Suggests: espeak-ng, ffmpeg, fonts-noto-core, libasound2-plugins, libvulkan1, mesa-vulkan-drivers
Section: utils
Priority: optional
Description: private assistant that runs wholly on your own device
 LiberaGPT reads your documents, answers with evidence from them, and acts on
 your words, typed or spoken. Models run in sealed processes without a network;
 nothing leaves the machine.
 .
 Models come from a file of their own (libera packs install), or are fetched
 when you ask for them (libera packs pull).
"""

UNIT = """[Unit]
Description=LiberaGPT on this device
Documentation=man:libera(1)
After=graphical-session.target

[Service]
ExecStart=/usr/bin/libera serve --no-open
# Also after an ordinary end: a restored backup and another version end what runs. A program that is gone (203) is not looked for.
Restart=always
RestartSec=5
RestartPreventExitStatus=203

[Install]
WantedBy=default.target
"""

OVERRIDES = """# One package for Debian 12 and 13 and Ubuntu, whose versions of these libraries differ in name;
# sbom.json lists each with its version and licence.
libera: embedded-library *
"""

NO_ADDRESS = """# Nobody has given an address: whoever publishes the package sets LIBERA_MAINTAINER.
libera: bogus-mail-host *
libera: bogus-mail-host-in-debian-changelog *
"""

COPYRIGHT = """Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: LiberaGPT
Comment:
 The licence of each library that is brought along lies, word for word, in
 /usr/share/doc/libera/licences; NOTICE beside them says whose works they are,
 and /usr/lib/libera/sbom.json which versions.

Files: *
Copyright: 2026 the LiberaGPT authors
License: Apache-2.0
 The full text is in /usr/share/common-licenses/Apache-2.0.
"""


def changelog(version, epoch, out):
    date = format_datetime(datetime.fromtimestamp(epoch, timezone.utc))
    text = f"libera ({version}) stable; urgency=medium\n\n  * See CHANGELOG.md of the project.\n\n -- {MAINTAINER}  {date}\n"
    with open(out, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=epoch) as file:
        file.write(text.encode())


def lay_out(tree, version, epoch, work):
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(tree, work / "usr", symlinks=True)
    unit = work / "usr/lib/systemd/user"
    unit.mkdir(parents=True)
    (unit / "libera.service").write_text(UNIT)
    doc = work / "usr/share/doc/libera"
    (doc / "copyright").write_text(COPYRIGHT)
    (doc / "LICENSE").unlink()  # Debian has it once for all
    changelog(version, epoch, doc / "changelog.gz")
    overrides = work / "usr/share/lintian/overrides"
    overrides.mkdir(parents=True)
    (overrides / "libera").write_text(OVERRIDES + (NO_ADDRESS if MAINTAINER == NOBODY else ""))


def control(version, work):
    files = sorted(file for file in (work / "usr").rglob("*") if file.is_file() and not file.is_symlink())
    size = sum(file.stat().st_size for file in files) // 1024
    place = work / "DEBIAN"
    place.mkdir()
    (place / "control").write_text(CONTROL.format(version=version, maintainer=MAINTAINER, size=size))
    (place / "md5sums").write_text(
        "".join(f"{hashlib.md5(file.read_bytes()).hexdigest()}  {file.relative_to(work)}\n" for file in files))


def main():
    tree, version, epoch, work, out = sys.argv[1:]
    os.umask(0o022)
    tree, work = Path(tree), Path(work)
    lay_out(tree, version, int(epoch), work)
    control(version, work)
    for file in [work, *work.rglob("*")]:
        os.utime(file, (int(epoch), int(epoch)), follow_symlinks=False)
    subprocess.run(["dpkg-deb", "--root-owner-group", "--threads-max=1", "-Zxz", "-z4", "--build", str(work), out], check=True,
                   env={**os.environ, "SOURCE_DATE_EPOCH": epoch})


if __name__ == "__main__":
    main()
