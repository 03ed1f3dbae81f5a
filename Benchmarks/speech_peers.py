"""Sound files, and the other programs that hear them: whisper.cpp's own with its full context, and Moonshine."""

import multiprocessing, pathlib, subprocess, tempfile, time, wave

import numpy

RATE = 16_000


def samples(file):
    with wave.open(str(file), "rb") as sound:
        assert sound.getsampwidth() == 2 and sound.getnchannels() == 1
        data = numpy.frombuffer(sound.readframes(sound.getnframes()), dtype="<i2")
        rate = sound.getframerate()
    if rate == RATE:
        return data.astype(numpy.float32) / 32768
    # Band-limited, so that telephone recordings are what they were.
    spectrum = numpy.fft.rfft(data.astype(numpy.float64) / 32768)
    count = len(data) * RATE // rate
    wide = numpy.zeros(count // 2 + 1, dtype=complex)
    most = min(len(spectrum), len(wide))
    wide[:most] = spectrum[:most]
    return (numpy.fft.irfft(wide, count) * RATE / rate).astype(numpy.float32)


def pcm(sound):
    return (numpy.clip(sound, -1, 1) * 32767).astype("<i2").tobytes()


def write(path, sound):
    with wave.open(str(path), "wb") as out:
        out.setparams((1, 2, RATE, 0, "NONE", ""))
        out.writeframes(pcm(sound))


def whisper_cli(program, weights, threads, files):
    """One run over all files: the model is loaded once. Returns texts and the seconds of work."""
    texts = {}
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        wide = []
        for number, file in enumerate(files):
            path = pathlib.Path(folder) / f"{number}.wav"
            write(path, samples(file))
            wide.append(path)
        began = time.perf_counter()
        for start in range(0, len(wide), 100):
            some = wide[start:start + 100]
            subprocess.run([program, "-m", weights, "-t", str(threads), "-l", "en", "-otxt", "-np", "-nt", *map(str, some)],
                           check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        spent = time.perf_counter() - began
        for file, path in zip(files, wide):
            texts[file] = path.with_suffix(".wav.txt").read_text()
    return texts, spent


def moonshine_hears(file):
    """One file, in a process that keeps its model for the next."""
    from moonshine_cpp import MoonshineModel

    global moonshine_model
    if "moonshine_model" not in globals():
        moonshine_model = MoonshineModel()
    sound, text, spent = samples(file), "", 0
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/piece.wav"
        # It takes half a minute at most.
        for start in range(0, len(sound), RATE * 30):
            write(path, sound[start:start + RATE * 30])
            began = time.perf_counter()
            text += " " + moonshine_model.transcribe_wav(path)
            spent += time.perf_counter() - began
    return text, spent


def moonshine(files):
    # It gives no memory back: some hundred files in one process fill 20 GB.
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=20) as pool:
        heard = pool.map(moonshine_hears, files, chunksize=1)
    return {file: text for file, (text, _) in zip(files, heard)}, sum(spent for _, spent in heard)
