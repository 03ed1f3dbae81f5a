#!/usr/bin/env python3
"""What test.sh gives to the installed program: samples.py FOLDER. Documents, and bundles that must be refused."""
import io
import sys
import tarfile
from pathlib import Path


def pdf(lines):
    """One page with these lines, large enough to be recognised from its picture."""
    text = "BT /F1 28 Tf 60 700 Td 40 TL " + " ".join(f"({line}) Tj T*" for line in lines) + " ET"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 5 0 R >> >> /Contents 4 0 R >>",
        f"<< /Length {len(text)} >>\nstream\n{text}\nendstream", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    out, places = "%PDF-1.4\n", []
    for number, it in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{it}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    return (f"{out}xref\n0 {len(places) + 1}\n0000000000 65535 f \n{table}"
            f"trailer << /Size {len(places) + 1} /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF\n")


def bundle(file, name, data=b"weights", **more):
    info = tarfile.TarInfo(name)
    info.size = len(data)
    for key, value in more.items():
        setattr(info, key, value)
    with tarfile.open(file, "w", format=tarfile.USTAR_FORMAT) as archive:
        archive.addfile(info, io.BytesIO(data) if info.isfile() else None)


def main():
    folder = Path(sys.argv[1])
    (folder / "lease.md").write_text("# Lease\n\nThe rent is 850 euros a month, due on the third working day.\n")
    (folder / "ferry.pdf").write_text(pdf(["The ferry to Skopelos leaves", "at seven in the morning."]))
    name, size = "silero-vad-6.2.0.bin", 885098
    bundle(folder / "short.tar", name)
    bundle(folder / "absolute.tar", f"/etc/{name}")
    bundle(folder / "above.tar", f"../../{name}")
    bundle(folder / "link.tar", name, b"", type=tarfile.SYMTYPE, linkname="/etc/passwd")
    bundle(folder / "content.tar", name, bytes(size))


main()
