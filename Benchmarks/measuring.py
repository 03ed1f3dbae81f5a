"""What several benches need: text that nobody has seen, and a process with everything below it."""

import glob, random

WORDS = ("harbour winter engine letter garden river signal copper market bridge lantern teacher valley paper window "
         "summer iron music forest captain village silver morning station bread ocean mirror castle doctor island").split()


def prose(seed, words):
    """Sentences, so that no cache helps and no draft fits. The seed may be a chooser that goes on."""
    chooser = seed if isinstance(seed, random.Random) else random.Random(seed)
    out = []
    while len(out) < words:
        sentence = [chooser.choice(WORDS) for _ in range(chooser.randint(6, 14))]
        out += [sentence[0].capitalize(), *sentence[1:-1], sentence[-1] + "."]
    return " ".join(out[:words])


def family(process):
    """The numbers of a process and of everything below it."""
    children = {}
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            fields = open(path).read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(path.split("/")[2]))
    found = [process]
    for one in found:
        found += children.get(one, [])
    return found
