"""The libraries that a package brings along: which they are, whose, and that they run elsewhere."""
import os
import re
import shutil
import subprocess
from pathlib import Path

# What every Linux with glibc has. The C++ library and gcc's are only ever newer elsewhere, and a GPU's driver wants its own.
OF_THE_SYSTEM = re.compile(
    r"^(ld-linux-x86-64|libc|libm|libdl|libpthread|librt|libresolv|libstdc\+\+|libgcc_s|linux-vdso)\.so")

# Debian 12's. A symbol of a later version would keep the program from starting there.
NEWEST = {"GLIBC": (2, 36), "GLIBCXX": (3, 4, 30), "CXXABI": (1, 3, 13), "GCC": (12, 0, 0)}


def run(*words, **more):
    return subprocess.run(words, check=True, capture_output=True, text=True, **more).stdout


def needed(programs, folders):
    """Every library that the programs are linked with, however far away, by its name."""
    environment = {**os.environ, "LD_LIBRARY_PATH": ":".join(map(str, folders))}
    found = {}
    for program in programs:
        for line in run("ldd", str(program), env=environment).splitlines():
            name, arrow, rest = line.strip().partition(" => ")
            if not arrow or OF_THE_SYSTEM.match(name):
                continue
            place = rest.split(" (")[0]
            if place == "not found":
                raise SystemExit(f"{program} needs {name}, which is not here")
            found[name] = Path(place)
    return found


def forget_compiling(program):
    """Blanks Swift's hashes of what it has compiled, by which it would know that it need not do so again: others in each build of
    the same sources. In place, for objcopy loses the mark by which the loader makes tables read-only (RELRO)."""
    section = re.search(r"\s\.swift_modhash\s+\S+\s+\S+\s+(\S+)\s+(\S+)", run("readelf", "-SW", str(program)))
    if section:
        offset, size = (int(number, 16) for number in section.groups())
        with open(program, "r+b") as file:
            file.seek(offset)
            file.write(bytes(size))


def take(source, target, search):
    """Copies a library or program without what only a debugger reads, told to look for its libraries in `search`."""
    shutil.copyfile(source, target)
    target.chmod(0o755)
    run("strip", "--strip-unneeded", "--remove-section=.comment", str(target))
    forget_compiling(target)
    run("patchelf", "--set-rpath", search, str(target))
    if ".so" in target.name:
        target.chmod(0o644)


def check_hardening(programs, libraries):
    """What the loader has filled in is read-only while the program runs: all of it in programs, what comes first in libraries."""
    for file in programs + libraries:
        if "GNU_RELRO" not in run("readelf", "-lW", str(file)):
            raise SystemExit(f"{file.name} has tables that stay writable")
    for file in programs:
        if "NOW" not in run("readelf", "-dW", str(file)):
            raise SystemExit(f"{file.name} looks up functions as it goes, so its tables stay writable")


def check_versions(files):
    """No file asks for more than Debian 12's C and C++ libraries have."""
    for file in files:
        for name, version in re.findall(r"\b(GLIBC|GLIBCXX|CXXABI|GCC)_([0-9.]+)\b", run("objdump", "-T", str(file))):
            if tuple(map(int, version.split("."))) > NEWEST[name]:
                raise SystemExit(f"{file.name} needs {name}_{version}, which Debian 12 does not have: make packages there")


def check_forms(folder):
    """What is for every processor uses no registers that some do not have; see engine.sh."""
    wide, wider = re.compile(r"%ymm"), re.compile(r"%zmm")
    for file in sorted(folder.glob("lib*ggml*.so*")) + sorted(folder.glob("libllama*.so*")) + [
            folder / "libwhisper.so.1", folder / "liblibera-templates.so"]:
        code = run("objdump", "-d", "--no-show-raw-insn", str(file))
        if wide.search(code) or wider.search(code):
            raise SystemExit(f"{file.name} is not for every processor")
    v3 = run("objdump", "-d", "--no-show-raw-insn", str(folder / "x86-64-v3/libggml-cpu.so.0"))
    v4 = run("objdump", "-d", "--no-show-raw-insn", str(folder / "x86-64-v4-vnni/libggml-cpu.so.0"))
    if not wide.search(v3) or wider.search(v3) or "vpdpbusd" in v3:
        raise SystemExit("the form for x86-64-v3 is not that")
    if not wider.search(v4) or "vpdpbusd" not in v4:
        raise SystemExit("the form for x86-64-v4 with VNNI is not that")


def owner(place):
    """The Debian package that a library comes from, and its version."""
    # Where /lib is a link to /usr/lib, the list of files knows one of both names.
    real = str(place.resolve())
    for name in (real, real.removeprefix("/usr"), "/usr" + real):
        answer = subprocess.run(["dpkg-query", "-S", name], capture_output=True, text=True)
        if answer.returncode == 0:
            package = answer.stdout.split(": ")[0].split(",")[0]
            version = run("dpkg-query", "-W", "-f", "${Version}", package)
            return package.split(":")[0], version
    raise SystemExit(f"no package owns {place}: whose work is it?")


def licences(package):
    """Names of the licences in a Debian copyright file; none where it is prose."""
    text = Path(f"/usr/share/doc/{package}/copyright").read_text(errors="replace")
    if not re.match(r"Format:", text):
        return []
    names = {name.strip() for name in re.findall(r"^License:[ \t]*(\S.*)$", text, re.MULTILINE)}
    return sorted(names)
