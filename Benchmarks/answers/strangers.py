"""Questions that others wrote about letters and tables: the training half of BIPIA, without its orders. A part of them, drawn with
a fixed seed, keeps the fits from knowing nothing but our own way of asking."""

import json, os, random

COUNT = 24


def draw(folder):
    """Each with the text it is about, and what stands in a right answer; nothing where the text does not say it."""
    chooser, drawn = random.Random(20261121), []
    for kind in ("email", "table"):
        with open(f"{folder}/{kind}-train.jsonl") as file:
            every = [json.loads(line) for line in file]
        chooser.shuffle(every)
        for number, each in enumerate(every[:COUNT]):
            said = each["ideal"].casefold() in each["context"].casefold()
            drawn.append({"place": f"{kind}-{number}", "text": each["context"], "question": each["question"].removeprefix("Q: "),
                          "expect": [each["ideal"]] if said else None})
    return drawn


def asked(program, folder, questions):
    """Each question with its sentences and signals: asked of its own text, every second one also of another of the same kind."""
    for number, each in enumerate(questions):
        path = f"{folder}/{each['place']}"
        if not os.path.isdir(path):
            os.makedirs(path)
            with open(f"{path}/document.txt", "w") as file:
                file.write(each["text"])
            program.run("import", path, "--collection", each["place"])
    for number, each in enumerate(questions):
        other = questions[(number + 7) % len(questions)]
        places = [(each["place"], each["expect"])]
        if number % 2 == 0 and other["place"].split("-")[0] == each["place"].split("-")[0]:
            places.append((other["place"], None))
        for place, expect in places:
            considered, record = program.explained(each["question"], place)
            if considered:
                yield considered, record["signals"], expect
