"""Fetches the documents the questions are about from Debian's packages into a folder: FOLDER/HALF/NAME.

Nothing is installed: each package is downloaded with apt-get, unpacked with dpkg-deb, and only the document is kept.
"""

import gzip, json, os, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def fetch(folder):
    documents = json.load(open(f"{HERE}/documents.json"))["documents"]
    wanted = {}
    for document in documents:
        name = os.path.basename(document["path"]).removesuffix(".gz")
        if name == "README":
            name = document["package"] + ".txt"
        target = f"{folder}/{document['half']}/{name}"
        if not os.path.exists(target):
            wanted.setdefault(document["package"], []).append((document["path"], target))
    for package, parts in wanted.items():
        with tempfile.TemporaryDirectory() as scratch:
            print(f"fetching {package}", file=sys.stderr)
            # apt's own downloader may not write into a folder that only we can enter.
            os.chmod(scratch, 0o755)
            subprocess.run(["apt-get", "-qq", "download", package], cwd=scratch, check=True, stderr=subprocess.DEVNULL)
            archive = [name for name in os.listdir(scratch) if name.endswith(".deb")][0]
            subprocess.run(["dpkg-deb", "-x", f"{scratch}/{archive}", f"{scratch}/x"], check=True)
            for path, target in parts:
                data = open(f"{scratch}/x/{path}", "rb").read()
                os.makedirs(os.path.dirname(target), exist_ok=True)
                with open(target + ".part", "wb") as file:
                    file.write(gzip.decompress(data) if path.endswith(".gz") else data)
                os.rename(target + ".part", target)


if __name__ == "__main__":
    fetch(sys.argv[1])
