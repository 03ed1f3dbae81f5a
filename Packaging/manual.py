"""libera(1), made from what the program says of its own commands."""
import re
import subprocess
from datetime import datetime, timezone


def plain(text):
    """roff reads a hyphen as one to break lines at, and a dot or quote at a line's start as an order."""
    text = text.replace("\\", r"\e").replace("-", r"\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def word(text):
    """What a macro is given: roff would take quotes away from it."""
    return plain(text).replace('"', r"\(dq")


def asked(program, *words):
    return subprocess.run([program, *words], check=True, capture_output=True, text=True, env={"PATH": "/usr/bin:/bin"}).stdout


def commands(program):
    for line in asked(program, "help").splitlines():
        if found := re.match(r"  (\w+) {2,}(\S.*)", line):
            yield found.groups()


def described(program, name):
    """One command: its usage, its options with what each does, and examples."""
    usage, *rest = asked(program, "help", name).rstrip().splitlines()
    yield f".SS {plain(name)}"
    yield f".B {word(usage)}"
    yield ".PP"
    end = rest.index("Examples:")
    for line in rest[:end]:
        if found := re.match(r"  (-\S+(?: (?:[A-Z][A-Z|,=]*|\S+\|\S+))?) +(\S.*)", line):
            option, words = found.groups()
            if option.split()[0] in ("--home", "--json", "--simulate"):
                continue
            yield f".TP\n.B {word(option)}\n{plain(words)}"
        elif line.strip():
            words = line.strip()
            yield plain(words[0].upper() + words[1:] + ".")
    yield ".PP\nExamples:\n.PP\n.EX"
    yield from (plain(line.strip()) for line in rest[end + 1:])
    yield ".EE"


ENDING = r"""
.SH EVERYWHERE
.TP
.B \-\-home FOLDER
Keep data and settings in FOLDER.
.TP
.B \-\-json
Print for machines.
.TP
.B \-\-simulate FILE
Replay a script of device readings instead of reading sensors.
.SH EXIT STATUS
0 done; 1 failed; 2 the command line cannot be understood; 3 what was asked for does not exist; 4 refused by a check;
5 a worker died while it worked for this command; 130 interrupted; 141 nobody reads the output any more.
.SH FILES
.TP
.I ~/.local/share/libera
Documents, conversations, models.
.TP
.I ~/.config/libera
Settings.
.TP
.I ~/.config/libera.permissions.json
What only a terminal may set: programs, folders, the network.
.TP
.I ~/.cache/libera
What can be made again.
.SH ENVIRONMENT
.TP
.B XDG_DATA_HOME, XDG_CONFIG_HOME, XDG_CACHE_HOME
Where these three lie instead.
.TP
.B LIBERA_PROCESSOR
.I x86\-64
or
.IR x86\-64\-v3 :
compute as on a lesser processor, to find out whether this one's abilities are to blame for something.
.TP
.B LIBERA_CPU
.IR bf16 ", " avx512vnni ", " avxvnni ", " avx2 ", " i8mm ", " dotprod
or
.IR plain :
how the loops that make vectors compute, where this processor has it.
.B libera doctor
says which is taken.
.TP
.B NO_COLOR
No colours on a terminal.
"""


def write(program, version, epoch, out):
    date = datetime.fromtimestamp(epoch, timezone.utc).strftime("%Y-%m-%d")
    lines = [
        f'.TH LIBERA 1 "{date}" "libera {version}" "LiberaGPT"',
        ".SH NAME", r"libera \- a private assistant that runs wholly on your own device",
        ".SH SYNOPSIS", ".B libera", ".I COMMAND", r"[\fIOPTION\fR ...]",
        ".SH DESCRIPTION",
        "LiberaGPT reads your documents, answers with evidence from them, and acts on your words. Models run in sealed",
        "processes without a network; nothing leaves the machine.",
        ".PP", "Begin with", ".BR \"libera packs install \" BUNDLE", "(the models, in one file) and",
        ".BR \"libera chat\" ,", "or with", ".B libera serve", "for the page in the browser.",
        ".SH COMMANDS",
    ]
    for name, _ in commands(program):
        lines += described(program, name)
    out.write_text("\n".join(lines) + ENDING)
