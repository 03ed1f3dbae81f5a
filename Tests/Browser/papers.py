"""Papers made for the tests, which need no other program."""

import io
import zipfile


def pdf(pages, width=595, height=842):
    """`pages`: for each page its lines as (size, x, y from below, text), in Helvetica."""
    out, places = bytearray(b"%PDF-1.4\n"), []

    def add(body):
        places.append(len(out))
        out.extend(f"{len(places)} 0 obj\n".encode() + body + b"\nendobj\n")

    add(b"<< /Type /Catalog /Pages 2 0 R >>")
    kids = " ".join(f"{4 + 2 * page} 0 R" for page in range(len(pages)))
    add(f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode())
    add(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    for page, lines in enumerate(pages):
        body = b"BT\n" + b"".join(
            f"/F1 {size} Tf 1 0 0 1 {x} {y} Tm ({text}) Tj\n".encode("latin-1") for size, x, y, text in lines) + b"ET"
        add(f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} {height}] /Resources << /Font << /F1 3 0 R >> >>"
            f" /Contents {5 + 2 * page} 0 R >>".encode())
        add(f"<< /Length {len(body)} >>\nstream\n".encode() + body + b"\nendstream")
    table = len(out)
    out.extend(f"xref\n0 {len(places) + 1}\n0000000000 65535 f \n".encode())
    out.extend(b"".join(f"{place:010} 00000 n \n".encode() for place in places))
    out.extend(f"trailer << /Size {len(places) + 1} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n".encode())
    return bytes(out)


SECRET = "The hidden valve behind the third wheel opens at exactly 17 bar."


def manual(pages, secret):
    """A manual with a chapter every ten pages; on page `secret`, far down, stands the one thing worth asking for."""
    def lines(page):
        if page % 10 == 1:
            yield 20, 72, 770, f"{page // 10 + 1} Chapter of the wheels {page // 10 + 1}"
        for line in (0, 8, 20):
            text = f"Part {page}-{line} of the mill is greased with oil number {page * 31 + line} by the miller."
            yield 11, 72, 730 - 26 * line, SECRET if (page, line) == (secret, 20) else text
        yield 9, 280, 40, f"page {page}"
    return pdf([list(lines(page)) for page in range(1, pages + 1)])


def slides(*texts):
    """Slides with a title each, as a presentation's package holds them."""
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
    relations = lambda many: "<Relationships>" + "".join(
        f'<Relationship Id="{name}" Type="{kind}{what}" Target="{target}"/>' for name, what, target in many) + "</Relationships>"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        package.writestr("_rels/.rels", relations([("a", "officeDocument", "ppt/presentation.xml")]))
        ids = "".join(f'<sldId id="{256 + place}" r:id="s{place}"/>' for place in range(len(texts)))
        package.writestr("ppt/presentation.xml", f'<p xmlns:r="r"><sldIdLst>{ids}</sldIdLst></p>')
        package.writestr("ppt/_rels/presentation.xml.rels", relations(
            [(f"s{place}", "slide", f"slides/slide{place}.xml") for place in range(len(texts))]))
        for place, text in enumerate(texts):
            package.writestr(f"ppt/slides/slide{place}.xml", (
                '<p:sld xmlns:p="p" xmlns:a="a"><p:sp><p:nvPr><p:ph type="title"/></p:nvPr><p:txBody>'
                f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp></p:sld>"))
    return out.getvalue()
