"""Pictures of every screen, kept in Tests/Browser/screens, and a comparison with them that forgives how letters are drawn but not
where things stand.

    screens.py renew [WORD...]    draws them anew (only those whose names have the words): look at what git shows has changed"""

import os
import pathlib
import subprocess
import sys

from PIL import Image, ImageChops, ImageStat

KEPT = pathlib.Path(__file__).resolve().parent / "screens"
# All of them are part of every checkout.
MOST_BYTES = 1_500_000
# What set-up installs: with other letters every line stands elsewhere.
FONTS = {"system-ui": "Noto Sans", "monospace": "DejaVu Sans Mono"}
# A block is as large as a letter and the room around it. Its mean grey may differ by so much (of 255), and so many may differ more.
BLOCK, TOLERANCE, FEW = 16, 5, 3


def has_fonts():
    try:
        return all(subprocess.run(["fc-match", "-f", "%{family}", name], capture_output=True, text=True).stdout == font
                   for name, font in FONTS.items())
    except FileNotFoundError:
        return False


def shrunk(picture):
    """As it is kept: grey, and half or a quarter as wide; a phone's stays readable."""
    factor = 2 if picture.width < 600 else 4
    return picture.convert("L").reduce(factor)


def blocks(kept, seen):
    """The blocks that differ, as a small picture of their differences and how many are too far apart."""
    side = BLOCK // (2 if kept.width < 300 else 4)
    apart = ImageChops.difference(kept.reduce(side), seen.reduce(side))
    return apart, sum(count for value, count in enumerate(apart.histogram()) if value > TOLERANCE)


def differs(kept, seen):
    """Whether a screen looks otherwise than the picture that is kept of it."""
    return kept.size != seen.size or blocks(kept, seen)[1] > FEW


def compare(name, shot, folder):
    """What is to be said of a screen, or nothing where it looks as it did. `shot` is the whole picture as a file."""
    seen = shrunk(Image.open(shot))
    file = KEPT / f"{name}.png"
    if renews(name):
        # One that differs by nothing that counts stays as it is, or each renewal would change every file.
        if not file.exists() or differs(Image.open(file), seen):
            KEPT.mkdir(exist_ok=True)
            seen.save(file, optimize=True)
        return None
    if not file.exists():
        return f"{name}: no picture is kept of it; screens.py renew makes one"
    kept = Image.open(file)
    if not differs(kept, seen):
        return None
    folder.mkdir(parents=True, exist_ok=True)
    kept.save(folder / f"{name}-kept.png")
    seen.save(folder / f"{name}-seen.png")
    if kept.size != seen.size:
        return f"{name}: {seen.size} instead of {kept.size}; both pictures lie in {folder}"
    apart, count = blocks(kept, seen)
    apart.point(lambda value: 255 if value > TOLERANCE else value * 8).resize(kept.size, Image.NEAREST).save(folder / f"{name}-difference.png")
    most = ImageStat.Stat(apart).extrema[0][1]
    return f"{name}: {count} places differ, by {most} of 255 at most; both pictures and the difference lie in {folder}"


def renews(name):
    words = os.environ.get("LIBERA_RENEW")
    return words is not None and (not words or any(word in name for word in words.split()))


if __name__ == "__main__":
    if sys.argv[1:2] != ["renew"]:
        sys.exit(__doc__)
    environment = dict(os.environ, LIBERA_RENEW=" ".join(sys.argv[2:]))
    subprocess.run([sys.executable, "-m", "unittest", "test_screens.ScreensTest.test_every_screen_looks_as_it_did"],
                   cwd=KEPT.parent, env=environment, check=True)
    kept = sum(file.stat().st_size for file in KEPT.iterdir())
    print(f"{len(list(KEPT.iterdir()))} pictures, {kept} bytes")
    if kept > MOST_BYTES:
        sys.exit(f"{MOST_BYTES} are the most")
