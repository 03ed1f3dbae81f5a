"""What an import costs: seconds, memory, how many cores it keeps busy and how much of that is the system's, and whether the rate holds."""

import json, pathlib, random, resource, subprocess, tempfile, threading, time

from measuring import family, prose


def memory_of(process):
    """Resident bytes of a process and everything below it."""
    total = 0
    for one in family(process):
        try:
            total += int(pathlib.Path(f"/proc/{one}/statm").read_text().split()[1]) * 4096
        except OSError:
            continue
    return total


def import_documents(libera, home, files):
    """Seconds to found-by-words and to ready, pages, chunks, and the most memory of the program with its workers."""
    began = time.monotonic()
    process = subprocess.Popen(
        [libera, "import", *map(str, files), "--home", str(home), "--json"], stdout=subprocess.PIPE, text=True)
    most, stop, before = [0], threading.Event(), resource.getrusage(resource.RUSAGE_CHILDREN)

    def watch():
        while not stop.wait(0.2):
            most[0] = max(most[0], memory_of(process.pid))

    watcher = threading.Thread(target=watch)
    watcher.start()
    pages = chunks = 0
    words, vectors = None, []
    for line in process.stdout:
        event = json.loads(line)
        if event.get("chunks_done"):
            vectors.append((time.monotonic() - began, event["chunks_done"]))
        if event["event"] == "progress" and event.get("chunks_done") is None:
            words = time.monotonic() - began
        if event["event"] == "done":
            pages += event.get("pages", 0)
            chunks += event.get("chunks", 0)
        if event["event"] == "failed":
            print(event)
    process.wait()
    stop.set()
    watcher.join()
    seconds, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    user, system = after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime
    return {
        "pages": pages, "chunks": chunks, "last_page_read_s": words, "ready_s": seconds, "pages_per_s": pages / seconds,
        "chunks_per_s": chunks / seconds, "memory_mb": most[0] >> 20,
        "cores_busy": (user + system) / seconds, "system_pct": 100 * system / (user + system)} | rates(vectors)


def rates(vectors):
    """Chunks a second over the first and the last fifth of those that vectors were made of, where there were enough to tell."""
    if len(vectors) < 20:
        return {}
    between = lambda ends: (ends[-1][1] - ends[0][1]) / (ends[-1][0] - ends[0][0])
    count = vectors[-1][1]
    first = [one for one in vectors if one[1] <= count / 5]
    last = [one for one in vectors if one[1] >= count * 4 / 5]
    return {"first_fifth_per_s": between(first), "last_fifth_per_s": between(last)}


def small_files(libera, home, count):
    """So many text files of some lines, in folders of a hundred, found by their words alone."""
    chooser = random.Random(5)
    with tempfile.TemporaryDirectory() as place:
        for number in range(count):
            folder = pathlib.Path(place) / str(number // 100)
            folder.mkdir(exist_ok=True)
            (folder / f"{number}.txt").write_text("\n\n".join(f"Note {number}. {prose(chooser, 40)}" for _ in range(3)))
        told = import_documents(libera, home, [place])
    return {"files": count, "files_per_s": count / told["ready_s"]} | told


def records(libera, home, count):
    """So many records of one chunk each, with their vectors: whether the rate falls as the library grows."""
    chooser = random.Random(6)
    with tempfile.TemporaryDirectory() as place:
        file = pathlib.Path(place) / "records.jsonl"
        with file.open("w") as out:
            for number in range(count):
                out.write(json.dumps({"_id": str(number), "text": f"Record {number}. {prose(chooser, 30)}"}) + "\n")
        return import_documents(libera, home, [file])
