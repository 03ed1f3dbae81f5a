import Foundation

/// Sound files, made by code: nothing of others' is kept here.
enum Made {
  private static func little(_ value: some FixedWidthInteger) -> Data {
    withUnsafeBytes(of: value.littleEndian) { Data($0) }
  }
  private static func big(_ value: UInt32) -> Data { withUnsafeBytes(of: value.bigEndian) { Data($0) } }

  // MARK: Models

  static func gguf(tensors: Int) -> Data {
    func text(_ text: String) -> Data { little(UInt64(text.utf8.count)) + Data(text.utf8) }
    func number(_ key: String, _ value: UInt32) -> Data { text(key) + little(UInt32(4)) + little(value) }
    func word(_ key: String, _ value: String) -> Data { text(key) + little(UInt32(8)) + text(value) }
    let tokens = ["<s>", "</s>", "a", "b", "ab"]
    var list = text("tokenizer.ggml.tokens") + little(UInt32(9)) + little(UInt32(8)) + little(UInt64(tokens.count))
    for token in tokens { list += text(token) }
    let entries: [Data] = [
      word("general.architecture", "llama"), word("general.name", "tiny"), word("general.license", "mit"),
      number("llama.context_length", 4096), number("llama.block_count", 2), number("llama.embedding_length", 64),
      number("llama.attention.head_count", 4), number("llama.attention.head_count_kv", 2),
      number("llama.feed_forward_length", 128), number("general.file_type", 7), word("tokenizer.ggml.model", "llama"),
      list, word("tokenizer.chat_template", "{{ messages }}"),
      text("llama.rope.freq_base") + little(UInt32(6)) + little(Float(10000).bitPattern),
    ]
    var data = Data("GGUF".utf8) + little(UInt32(3)) + little(UInt64(tensors)) + little(UInt64(entries.count))
    data += entries.reduce(Data(), +)
    for index in 0..<tensors {
      data += text("blk.\(index).attn_q.weight") + little(UInt32(2)) + little(UInt64(64)) + little(UInt64(2))
      data += little(UInt32(8)) + little(UInt64(index * 160))
    }
    return data + Data(count: (32 - data.count % 32) % 32 + tensors * 160)
  }

  // MARK: Texts

  static let papers = [
    "# Title\n\nA *paragraph* with `code`, [a link](http://x) and ![a picture](y).\n\n| a | b |\n|---|:-:|\n| 1 | 2 |\n\n1. one\n   - two\n\n> quote\n\n```\ncode\n```\n\n~~gone~~ <b>html</b> &amp; &#x41;\n",
    "<!doctype html><html lang=de><head><title>T</title><style>p{}</style><meta charset=utf-8></head><body><h1>A</h1><p>b<br>c &eacute; &#128512;<table><tr><th colspan=2>x<td rowspan=3>y</table><ul><li>1<li>2</ul><script>x()</script><pre> a\n b</pre></body></html>",
    "name,amount,when\n\"a \"\"quoted\"\" one\",1.50,2026-01-02\nb;c,\"two\nlines\",\n",
    "name\tvalue\na\t1\n", #"{"title":"x","rows":[{"a":1,"b":[true,null,"é"]},{"a":1e9}]}"#,
    "{\"a\":1}\n{\"a\":2}\n", "Plain text.\n\nAnother paragraph - with a hyphen-\nated word.\u{C}A new page.\n",
    "From: A <a@example.com>\r\nTo: b@example.com\r\nSubject: =?utf-8?q?H=C3=A9?=\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Transfer-Encoding: base64\r\n\r\nSGVsbG8=\r\n--x--\r\n",
    "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY e \"x\">]><a b=\"c\">&e;<!-- d --><![CDATA[e]]></a>",
    #"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 A;}{\f1\fcharset204 B;}}{\stylesheet{\s1 heading 1;}}{\info{\title T}}\s1 Head\par a \'e9 \u252?{\footnote note}{\*\x y}{\pict\bin2 ab}\par\trowd\intbl a\cell b\cell\row\pard{\listtext 1.\tab}\ls1 c\par}"#,
    "From: a@example.com\nSubject: s\nDate: Thu, 1 Jan 2026 10:00:00 +0100\nContent-Type: multipart/alternative; boundary=c\n\n--c\n\ntext\n--c\nContent-Type: text/html\n\n<p>text\n--c\nContent-Disposition: attachment; filename=\"a b\"\n\nx\n--c--\n",
    "From a Thu Jan  1 10:00:00 2026\nFrom: a@example.com\nSubject: s\nDate: Thu, 1 Jan 2026 10:00:00 +0100\nMessage-ID: <1@x>\n\n>From x\n\nFrom b Thu Jan  1 11:00:00 2026\nFrom: b@example.com\nContent-Type: multipart/mixed; boundary=c\n\n--c\nContent-Disposition: attachment; filename*0*=utf-8''a%C3%A9; filename*1=.csv\nContent-Transfer-Encoding: base64\n\nYTtiO2MKMTsyOzMK\n--c--\n",
  ]

  static let mails = [
    papers[7],
    "From: \"B, A\" <a@example.com>\nSubject: =?iso-8859-1?B?6Q==?= =?utf-8?q?=C3?=\n =?utf-8?q?=A9?=\nDate: Thu, 1 Jan 2026 10:00:00 +0100\nMIME-Version: 1.0\nContent-Type: text/html; charset=\"koi8-r\"\nContent-Transfer-Encoding: quoted-printable\n\n<p>=D1=\n=D2</p>\n",
    "From: a@example.com\nContent-Type: multipart/alternative; boundary=\"a b\"\n\npreamble\n--a b\nContent-Type: text/plain; charset=utf-16\n\nx\n--a b\nContent-Type: multipart/related; boundary=c\n\n--c\nContent-Type: message/rfc822\n\nSubject: inner\n\ntext\n--c--\n--a b--\nepilogue\n",
  ]

  // MARK: Files of other programs

  static var packages: [Seed] {
    [
      Seed(pdf),
      Seed(Data("BT /F1 12 Tf 72 700 Td (Hello) Tj 0 -20 Td [(W) -50 (orld)] TJ ET".utf8), in: pdf(content:)),
      Seed(word, in: { zip([("[Content_Types].xml", types), ("_rels/.rels", relations), ("word/document.xml", $0)]) }),
      Seed(
        sheet,
        in: {
          zip([
            ("_rels/.rels", office("xl/workbook.xml")), ("xl/workbook.xml", book2),
            ("xl/_rels/workbook.xml.rels", parts), ("xl/worksheets/a.xml", $0),
          ])
        }),
      Seed(
        styles,
        in: {
          zip([
            ("_rels/.rels", office("xl/workbook.xml")), ("xl/workbook.xml", book2),
            ("xl/_rels/workbook.xml.rels", parts), ("xl/worksheets/a.xml", sheet), ("xl/styles.xml", $0),
          ])
        }),
      Seed(
        slide,
        in: {
          zip([
            ("_rels/.rels", office("ppt/p.xml")), ("ppt/p.xml", show), ("ppt/_rels/p.xml.rels", parts),
            ("ppt/slides/a.xml", $0),
          ])
        }),
      Seed(
        parts,
        in: {
          zip([
            ("_rels/.rels", office("ppt/p.xml")), ("ppt/p.xml", show), ("ppt/_rels/p.xml.rels", $0),
            ("ppt/slides/a.xml", slide),
          ])
        }),
      Seed(
        open, in: { zip([("mimetype", Data("application/vnd.oasis.opendocument.text".utf8)), ("content.xml", $0)]) }),
      Seed(
        Data(papers[1].utf8),
        in: {
          zip([
            ("mimetype", Data("application/epub+zip".utf8)), ("META-INF/container.xml", container), ("a.opf", book),
            ("a.xhtml", $0),
          ])
        }),
      Seed(
        book,
        in: {
          zip([("mimetype", Data("application/epub+zip".utf8)), ("META-INF/container.xml", container), ("a.opf", $0)])
        }),
      Seed(zip([("a.txt", Data("text".utf8)), ("b/c.txt", Data(count: 100))])), Seed(png(rows(24, 16), 24, 16)),
      Seed(rows(24, 16), in: { png($0, 24, 16) }), Seed(bitmap),
    ]
  }

  private static func office(_ main: String) -> Data {
    Data(#"<Relationships><Relationship Id="r" Type="x/officeDocument" Target="\#(main)"/></Relationships>"#.utf8)
  }
  private static let parts = Data(
    #"<Relationships><Relationship Id="a" Type="x/worksheet" Target="worksheets/a.xml"/><Relationship Id="b" Type="x/slide" Target="slides/a.xml"/><Relationship Id="c" Type="x/styles" Target="styles.xml"/></Relationships>"#
      .utf8)
  private static let book2 = Data(
    #"<workbook xmlns:r="r"><workbookPr date1904="1"/><sheets><sheet name="A" r:id="a"/></sheets></workbook>"#.utf8)
  private static let show = Data(#"<p xmlns:r="r"><sldIdLst><sldId id="256" r:id="b"/></sldIdLst></p>"#.utf8)
  private static let sheet = Data(
    #"<worksheet><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>Name</t></is></c><c r="B1" t="str"><v>Due</v></c></row><row r="2"><c r="A2"><v>0.1</v></c><c r="B2" s="1"><v>46086.5</v></c></row></sheetData></worksheet>"#
      .utf8)
  private static let styles = Data(
    #"<styleSheet><numFmts><numFmt numFmtId="170" formatCode="[$-407]d. mmm;@"/></numFmts><cellXfs><xf numFmtId="9"/><xf numFmtId="170"/></cellXfs></styleSheet>"#
      .utf8)
  private static let slide = Data(
    #"<p:sld xmlns:p="p" xmlns:a="a"><p:sp><p:ph type="title"/><a:p><a:r><a:t>Head</a:t></a:r></a:p></p:sp><p:sp><a:p><a:pPr lvl="1"/><a:r><a:t>b</a:t></a:r></a:p></p:sp><a:tbl><a:tblPr firstRow="1"/><a:tr><a:tc><a:p><a:r><a:t>c</a:t></a:r></a:p></a:tc></a:tr></a:tbl></p:sld>"#
      .utf8)
  private static let pdf = pdf(content: Data("BT /F1 12 Tf 72 700 Td (Hello) Tj ET".utf8))

  private static func pdf(content: Data) -> Data {
    let objects: [Data] = [
      Data("<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [6 0 R 7 0 R] >> >>".utf8),
      Data("<< /Type /Pages /Kids [3 0 R] /Count 1 >>".utf8),
      Data(
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Annots [6 0 R 7 0 R] /Resources << /Font << /F1 4 0 R >> >> >>"
          .utf8), Data("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".utf8),
      Data("<< /Length \(content.count) >>\nstream\n".utf8) + content + Data("\nendstream".utf8),
      Data("<< /Subtype /Widget /Rect [72 650 200 664] /FT /Tx /T (a) /TU (Name) /V (Ada) /P 3 0 R >>".utf8),
      Data("<< /Subtype /Widget /Rect [72 630 84 642] /FT /Ch /T (b) /Opt [(x) [(y) (z)]] /V (y) /I [1] >>".utf8),
    ]
    var file = Data("%PDF-1.7\n".utf8)
    var places: [Int] = []
    for (index, object) in objects.enumerated() {
      places.append(file.count)
      file += Data("\(index + 1) 0 obj\n".utf8) + object + Data("\nendobj\n".utf8)
    }
    let start = file.count
    file += Data("xref\n0 \(objects.count + 1)\n0000000000 65535 f \n".utf8)
    for place in places {
      let text = String(place)
      file += Data((String(repeating: "0", count: 10 - text.count) + text + " 00000 n \n").utf8)
    }
    return file
      + Data("trailer\n<< /Size \(objects.count + 1) /Root 1 0 R >>\nstartxref\n\(start)\n%%EOF\n".utf8)
  }

  private static let types = Data(
    #"<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>"#
      .utf8)
  private static let relations = Data(
    #"<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>"#
      .utf8)
  private static let word = Data(
    #"<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:pPr><w:pStyle w:val="Heading1"/><w:numPr><w:ilvl w:val="2"/><w:numId w:val="3"/></w:numPr></w:pPr><w:r><w:t xml:space="preserve">Hello </w:t><w:tab/><w:br/></w:r></w:p><w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/><w:vMerge/></w:tcPr><w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:body></w:document>"#
      .utf8)
  private static let open = Data(
    #"<?xml version="1.0"?><office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"><office:body><office:text><text:h text:outline-level="1">A</text:h><text:p>b<text:s text:c="3"/>c</text:p><table:table><table:table-row table:number-rows-repeated="2"><table:table-cell table:number-columns-repeated="3"><text:p>1</text:p></table:table-cell></table:table-row></table:table></office:text></office:body></office:document-content>"#
      .utf8)
  private static let container = Data(
    #"<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="a.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"#
      .utf8)
  private static let book = Data(
    #"<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>T</dc:title></metadata><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>"#
      .utf8)

  // MARK: Containers

  private static func zip(_ files: [(name: String, data: Data)]) -> Data {
    var (body, list) = (Data(), Data())
    for (name, data) in files {
      let sizes = little(crc(data)) + little(UInt32(data.count)) + little(UInt32(data.count))
      let common = little(UInt16(0)) + little(UInt16(0)) + little(UInt32(0)) + sizes + little(UInt16(name.utf8.count))
      list += little(UInt32(0x0201_4B50)) + little(UInt16(20)) + little(UInt16(20)) + common + little(UInt16(0))
      list += little(UInt16(0)) + little(UInt16(0)) + little(UInt16(0)) + little(UInt32(0)) + little(UInt32(body.count))
      list += Data(name.utf8)
      body += little(UInt32(0x0403_4B50)) + little(UInt16(20)) + common + little(UInt16(0)) + Data(name.utf8) + data
    }
    let count = little(UInt16(files.count))
    return body + list + little(UInt32(0x0605_4B50)) + little(UInt32(0)) + count + count + little(UInt32(list.count))
      + little(UInt32(body.count)) + little(UInt16(0))
  }

  /// Grey pixels, each row after its filter's number.
  private static func rows(_ width: Int, _ height: Int) -> Data {
    (0..<height).reduce(into: Data()) { data, y in
      data.append(0)
      data += Data((0..<width).map { UInt8(($0 * 7 + y * 13) & 255) })
    }
  }

  private static func png(_ rows: Data, _ width: UInt32, _ height: UInt32) -> Data {
    func chunk(_ kind: String, _ data: Data) -> Data {
      let named = Data(kind.utf8) + data
      return big(UInt32(data.count)) + named + big(crc(named))
    }
    let short = rows.prefix(65000)
    var (a, b): (UInt32, UInt32) = (1, 0)
    for byte in short { (a, b) = ((a + UInt32(byte)) % 65521, (b + a + UInt32(byte)) % 65521) }
    let size = UInt16(short.count)
    let stored = Data([0x78, 0x01, 0x01]) + little(size) + little(~size) + short + big(b << 16 | a)
    return Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
      + chunk("IHDR", big(width) + big(height) + Data([8, 0, 0, 0, 0])) + chunk("IDAT", stored) + chunk("IEND", Data())
  }

  private static let bitmap: Data = {
    let pixels = Data(repeating: 0x55, count: 8 * 8 * 3)
    return Data("BM".utf8) + little(UInt32(54 + pixels.count)) + little(UInt32(0)) + little(UInt32(54))
      + little(UInt32(40))
      + little(Int32(8)) + little(Int32(8)) + little(UInt16(1)) + little(UInt16(24)) + little(UInt32(0))
      + little(UInt32(pixels.count)) + Data(count: 16) + pixels
  }()

  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
  }

  private static func crc(_ data: Data) -> UInt32 {
    ~data.reduce(~UInt32(0)) { table[Int(($0 ^ UInt32($1)) & 255)] ^ $0 >> 8 }
  }
}
