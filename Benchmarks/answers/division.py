"""Which titles are held out of training."""
import collections
import hashlib

HELD = {"squad2": 6, "policyqa": 3}  # titles held out; of the other sources every eighth


def order(*words):
    return int(hashlib.sha1("\0".join(words).encode()).hexdigest()[:12], 16)


def held_out(titles):
    """Of pairs of source and title those that training never sees."""
    names = collections.defaultdict(set)
    for source, title in titles:
        names[source].add(title)
    held = set()
    for source, all_of in names.items():
        if source in HELD:
            held |= {(source, t) for t in sorted(all_of, key=lambda t: order("held", source, t))[: HELD[source]]}
        else:
            held |= {(source, t) for t in all_of if order("held", source, t) % 8 == 0}
    return held
