"""How far subtitles are from when sentences are said: clips with their texts in one file, behind each other with pauses between.

A cue counts where it begins (ends) with the first (last) word of a clip; how often that is, is up to how the words were cut into cues.
"""

import argparse, difflib, glob, os, random, re, shutil, statistics, subprocess, sys, tempfile, wave

import numpy as np


def sound(path):
    with wave.open(path) as file:
        samples = np.frombuffer(file.readframes(file.getnframes()), dtype=np.int16).astype(np.float32) / 32768
        rate = file.getframerate()
    frame = rate // 100
    levels = np.array([np.sqrt((samples[at : at + frame] ** 2).mean()) for at in range(0, len(samples) - frame, frame)])
    loud = np.where(levels > max(levels.max() * 0.03, 1e-3))[0]
    return samples[loud[0] * frame : (loud[-1] + 1) * frame], rate


def put_together(clips, draw, least, most, path):
    """Writes one file and returns where in it what is said."""
    clips = list(clips)
    draw.shuffle(clips)
    rate, parts, truth = clips[0][2], [], []
    parts.append(np.zeros(rate // 2, np.float32))
    for text, samples, _ in clips:
        start = sum(map(len, parts)) / rate
        truth.append((text, start, start + len(samples) / rate))
        parts += [samples, np.zeros(int(rate * draw.uniform(least, most)), np.float32)]
    whole = np.concatenate(parts)
    whole += np.random.RandomState(1).randn(len(whole)).astype(np.float32) * 0.0005
    with wave.open(path, "wb") as file:
        file.setparams((1, 2, rate, 0, "NONE", ""))
        file.writeframes((np.clip(whole, -1, 1) * 32767).astype(np.int16).tobytes())
    return truth


def seconds(text):
    hours, minutes, rest = text.replace(",", ".").split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(rest)


def cues(program, home, path):
    out = subprocess.run([program, "--home", home, "transcribe", path, "--srt", "--language", "en"], capture_output=True, text=True)
    if out.returncode:
        sys.exit(out.stderr)
    blocks = [block.split("\n") for block in out.stdout.strip().split("\n\n")]
    return [(*map(seconds, lines[1].split(" --> ")), " ".join(lines[2:])) for lines in blocks]


def words(texts):
    """Every word with where it stands: in which text, whether first, whether last."""
    plain = lambda word: re.sub(r"[^a-z0-9']+", "", word.lower())
    return [(plain(word), place, at == 0, at == len(text.split()) - 1)
            for place, text in enumerate(texts) for at, word in enumerate(text.split())]


def compare(shown, truth):
    heard, said = words([cue[2] for cue in shown]), words([each[0] for each in truth])
    starts, ends = [], []
    matcher = difflib.SequenceMatcher(None, [w[0] for w in heard], [w[0] for w in said], autojunk=False)
    for block in matcher.get_matching_blocks():
        for at in range(block.size):
            ours, theirs = heard[block.a + at], said[block.b + at]
            if ours[2] and theirs[2]:
                starts.append(abs(shown[ours[1]][0] - truth[theirs[1]][1]))
            if ours[3] and theirs[3]:
                ends.append(abs(shown[ours[1]][1] - truth[theirs[1]][2]))
    return starts, ends


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--packs", required=True)
    parser.add_argument("--clips", default=os.path.join(os.path.dirname(__file__), "../../shared/data/speech/piper"))
    options = parser.parse_args()
    clips = [(open(path[:-4] + ".txt").read().strip(), *sound(path)) for path in sorted(glob.glob(f"{options.clips}/*.wav"))]
    if not clips:
        sys.exit(f"There are no clips in {options.clips}.")
    print("| pauses, s | cues | begin with a clip | off on average, s | worst | end with one | off | worst | overlap |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(options.packs, f"{folder}/home/packs", symlinks=True)
        for number, (least, most) in enumerate([(0.1, 0.35), (0.3, 0.7), (0.6, 1.5)]):
            truth = put_together(clips, random.Random(number + 1), least, most, f"{folder}/sound.wav")
            shown = cues(options.program, f"{folder}/home", f"{folder}/sound.wav")
            starts, ends = compare(shown, truth)
            over = sum(one[1] > next[0] + 1e-6 for one, next in zip(shown, shown[1:]))
            mean = lambda values: f"{statistics.mean(values):.2f} | {max(values):.2f}" if values else "– | –"
            print(f"| {least} to {most} | {len(shown)} | {len(starts)} | {mean(starts)} | {len(ends)} | {mean(ends)} | {over} |", flush=True)


if __name__ == "__main__":
    main()
