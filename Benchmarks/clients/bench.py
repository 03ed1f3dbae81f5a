"""Programs of others against the real server: what works, what does not, and why. Writes Benchmarks/clients.md.

Each row is tried anew; one that is known not to work says why, and is tried too, so that it cannot go on saying no when it works.
"""

import argparse
import datetime
import os
import pathlib
import sys
import traceback

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/Clients"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))


def tried(rows, server):
    """(row, worked, the words of what went wrong)"""
    for row in rows:
        worked, words = True, ""
        try:
            row.check(server)
        except Exception as error:  # whatever a foreign client throws is what is written down
            if os.environ.get("LIBERA_BENCH_TRACES"):
                traceback.print_exc()
            worked, words = False, " ".join(str(error).split())[:160]
        print(f"{'yes' if worked else 'no ':3} {row.program:18} {row.what}" + ("" if worked else f": {row.why or words}"), flush=True)
        yield row, worked, words


def table(results):
    lines = ["| program | what | works | why not |", "|---|---|---|---|"]
    for row, works, words in results:
        why = "" if works else row.why or f"**unexpected:** {words}"
        if works and row.why:
            why = "**works now**, and was not expected to"
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in (row.program, row.what, "yes" if works else "no", why)) + " |")
    return "\n".join(lines)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--program", required=True)
    arguments.add_argument("--out", default=str(ROOT / "Benchmarks/clients.md"))
    given = arguments.parse_args()
    os.environ["LIBERA_PROGRAM"] = given.program
    import llama
    import programs  # its rows join those of `rows`
    import rows
    titles = {"Libraries and programs": rows.ROWS, "What llama.cpp's server is tested for": rows.LLAMA}
    server = rows.Server()
    try:
        parts = [(title, list(tried(part, server))) for title, part in titles.items()]
    finally:
        server.end()
    everything = [result for _, results in parts for result in results]
    works = sum(1 for _, worked, _ in everything if worked)
    words = [
        "# Programs of others",
        "",
        f"Made by `./libera bench clients` on {datetime.date.today()}, which runs the packages of Tests/Clients/requirements.txt unchanged against "
        f"`libera serve` with the packs that the tests use and espeak-ng for the voice: {works} of {len(everything)} rows work.",
        "",
    ]
    for title, results in parts:
        words += [f"## {title}", "", table(results), ""]
    words += ["## Left out", ""] + [f"- {line}" for line in llama.LEFT_OUT] + [""]
    pathlib.Path(given.out).write_text("\n".join(words))
    odd = [row for row, worked, _ in everything if worked == bool(row.why)]
    print(f"{works} of {len(everything)} work; {len(odd)} otherwise than expected")
    sys.exit(1 if odd else 0)


if __name__ == "__main__":
    main()
