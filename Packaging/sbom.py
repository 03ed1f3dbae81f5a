"""The list of what is inside a package, as CycloneDX: every library and source with its version and licence."""
import hashlib
import json
import uuid
from datetime import datetime, timezone

import libraries


def digest(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


def pins(root):
    """What the engine and PDFium are made of: name, version and hash of each, as Engine/pins has them."""
    lines = (root / "Engine/pins").read_text().splitlines()
    return {line.split()[0]: line.split()[1:] for line in lines if line and not line.startswith("#")}


def named(names):
    return [{"license": {"name": name}} for name in names]


def component(kind, name, version, licences, purl, files=(), pinned=None, note=None):
    it = {"type": kind, "bom-ref": purl, "name": name, "version": version, "purl": purl, "licenses": named(licences)}
    if pinned:
        it["hashes"] = [{"alg": "SHA-256", "content": pinned}]
    properties = [{"name": "libera:file", "value": f"{file.name} sha256:{digest(file)}"} for file in files]
    if note:
        properties.append({"name": "libera:note", "value": note})
    if properties:
        it["properties"] = properties
    return it


def sources(root, folder, swift_version):
    """What we or others compiled, not taken from the system."""
    known = pins(root)
    made = [
        ("llama", "llama.cpp and ggml", ["MIT"], sorted(folder.glob("lib*ggml*.so*")) + sorted(folder.glob("libllama*.so*"))
         + sorted(folder.glob("*/libggml-cpu.so*")), "compiled with Engine/patches; nlohmann/json and miniaudio inside"),
        ("whisper", "whisper.cpp", ["MIT"], [folder / "libwhisper.so.1"], "compiled with llama.cpp's ggml"),
        ("pdfium-linux-x86_64", "PDFium", ["BSD-3-Clause", "Apache-2.0"], [folder / "libpdfium.so"],
         "as it was published; licences of its parts in share/doc/libera/licences/pdfium"),
    ]
    for key, name, licence, files, note in made:
        package, version, _, pinned = known[key]
        yield component("library", name, version, licence, f"pkg:pypi/{package}@{version}", files, pinned, note)
    yield component(
        "library", "Swift runtime and Foundation", swift_version, ["Apache-2.0 WITH Swift-exception", "Unicode-3.0"],
        f"pkg:github/swiftlang/swift@{swift_version}", note="linked into the programs; ICU inside")


def of_debian(found):
    """The system's libraries, a component for each package they come from."""
    packages = {}
    for place, file in found:
        packages.setdefault(libraries.owner(place), []).append(file)
    for (package, version), files in sorted(packages.items()):
        licences = libraries.licences(package) or [f"see share/doc/libera/licences/{package}"]
        yield component(
            "library", package, version, licences, f"pkg:deb/debian/{package}@{version}?arch=amd64", sorted(files))


def languages(folder):
    version = libraries.run("dpkg-query", "-W", "-f", "${Version}", "tesseract-ocr-eng")
    yield component(
        "data", "tesseract language data", version, ["Apache-2.0"], f"pkg:deb/debian/tesseract-ocr-eng@{version}",
        sorted(folder.glob("tessdata/*.traineddata")))


def write(root, folder, version, epoch, swift_version, found):
    """`found`: pairs of where a library of the system lies and its copy in the package."""
    parts = [*sources(root, folder, swift_version), *of_debian(found), *languages(folder)]
    time = datetime.fromtimestamp(epoch, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    whole = {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {
            "timestamp": time,
            "component": component("application", "libera", version, ["Apache-2.0"], f"pkg:generic/libera@{version}",
                                   [folder / "libera", folder / "libera-worker"]),
        },
        "components": parts,
    }
    # A number that follows from the content, so that the same content has the same.
    whole["serialNumber"] = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(whole, sort_keys=True)).urn
    (folder / "sbom.json").write_text(json.dumps(whole, indent=1, sort_keys=True) + "\n")
    return len(parts)
