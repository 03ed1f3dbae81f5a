"""Makes files of the kinds that people have out of household.json, strangers.json and authored.jsonl: invented documents of our own, with
questions about them. Who wrote strangers.json knew nothing of the program, and nothing is fitted on it. authored.jsonl is by 33 authors, each
a source of its own, who knew neither the program nor one another's questions: it is there to be fitted on, leaving f, l, v, dv and fv out.
"""

import csv, html, json, os

HERE = os.path.dirname(os.path.abspath(__file__))


def pdf(path, blocks):
    from reportlab.lib import colors
    from reportlab.lib.pagesizes import A4
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle
    styles, flow = getSampleStyleSheet(), []
    for block in blocks:
        kind = block["type"]
        if kind == "page":
            flow.append(PageBreak())
        elif kind == "table":
            flow += [Table(block["rows"], style=TableStyle([("GRID", (0, 0), (-1, -1), 0.5, colors.grey)])), Spacer(1, 8)]
        elif kind == "list":
            flow += [Paragraph("• " + html.escape(item), styles["BodyText"]) for item in block["items"]] + [Spacer(1, 6)]
        else:
            style = {"title": "Heading1", "heading": "Heading2"}.get(kind, "BodyText")
            flow += [Paragraph(html.escape(block["text"]), styles[style]), Spacer(1, 4)]
    SimpleDocTemplate(path, pagesize=A4, title=os.path.basename(path)[:-4]).build(flow)


def docx(path, blocks):
    import docx
    document = docx.Document()
    for block in blocks:
        kind = block["type"]
        if kind == "table":
            table = document.add_table(rows=0, cols=len(block["rows"][0]))
            for row in block["rows"]:
                for cell, text in zip(table.add_row().cells, row):
                    cell.text = str(text)
        elif kind == "list":
            for item in block["items"]:
                document.add_paragraph(item, style="List Bullet")
        elif kind != "page":
            level = {"title": 0, "heading": 1}.get(kind)
            document.add_paragraph(block["text"]) if level is None else document.add_heading(block["text"], level)
    document.save(path)


def page(path, blocks):
    parts = []
    for block in blocks:
        kind = block["type"]
        if kind == "table":
            rows = ("<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) + "</tr>" for row in block["rows"])
            parts.append("<table>" + "".join(rows) + "</table>")
        elif kind == "list":
            parts.append("<ul>" + "".join(f"<li>{html.escape(item)}</li>" for item in block["items"]) + "</ul>")
        elif kind != "page":
            tag = {"title": "h1", "heading": "h2"}.get(kind, "p")
            parts.append(f"<{tag}>{html.escape(block['text'])}</{tag}>")
    around = '<nav><a href="/">Home</a> <a href="/news">News</a></nav>', "<footer>Cookies. All rights reserved.</footer>"
    write(path, f"<!doctype html><html><body>{around[0]}<article>{''.join(parts)}</article>{around[1]}</body></html>")


def plain(path, blocks):
    marks = {"title": "# ", "heading": "## "} if path.endswith(".md") else {}
    parts = []
    for block in blocks:
        kind = block["type"]
        if kind == "table":
            parts.append("\n".join(" | ".join(map(str, row)) for row in block["rows"]))
        elif kind == "list":
            parts.append("\n".join("- " + item for item in block["items"]))
        elif kind != "page":
            parts.append(marks.get(kind, "") + block["text"])
    write(path, "\n\n".join(parts) + "\n")


def table(path, blocks):
    with open(path, "w", newline="") as file:
        for block in blocks:
            if block["type"] == "table":
                csv.writer(file).writerows(block["rows"])


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


KINDS = {".pdf": pdf, ".docx": docx, ".html": page, ".csv": table}


def entries():
    strangers = [entry | {"half": "strangers"} for entry in json.load(open(f"{HERE}/strangers.json"))]
    authored = [json.loads(line) for line in open(f"{HERE}/authored.jsonl")]
    return json.load(open(f"{HERE}/household.json")) + strangers + authored


def make(folder):
    """One folder for each part, where it is not yet there."""
    known = set(os.listdir(folder))
    for entry in entries():
        place = f"{folder}/household-{entry['half']}"
        if os.path.basename(place) in known:
            continue
        os.makedirs(place, exist_ok=True)
        path = f"{place}/{entry['name']}"
        KINDS.get(os.path.splitext(path)[1], plain)(path, entry["blocks"])


def questions():
    """As those of questions.jsonl are."""
    return [{"id": f"{entry['name']}.{place}", "half": f"household-{entry['half']}", "question": question["question"],
             "expect": question["answer"], "document": entry["name"] if question["answer"] else None,
             "pages": [question["page"]] if question.get("page") else [], "kind": question.get("kind", "household")}
            for entry in entries() for place, question in enumerate(entry["questions"])]
