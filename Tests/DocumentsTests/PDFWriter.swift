import Foundation

/// Writes small PDFs with Helvetica, so that tests know where every word stands.
struct PDFWriter {
  struct Text {
    var x, y, size: Double
    var text: String
    var font = "F1"
  }

  struct Sheet {
    var width = 595.0
    var height = 842.0
    var rotation = 0
    /// `y` counts from the bottom, as PDF does.
    var texts: [Text] = []
    /// Drawn before the texts: grey pixels over the whole page.
    var picture: (pixels: [UInt8], width: Int, height: Int)?
    var fields: [Field] = []
    /// Operators written as they are, before the texts.
    var content = ""
  }

  /// A field of a form with its place, from left to right and from the bottom up; `entries` as PDF writes them.
  struct Field {
    var rect: (x0: Double, y0: Double, x1: Double, y1: Double)
    var entries: String
  }

  var sheets: [Sheet] = []
  /// Operators of drawings that pages, and drawings after them, name by "/D0 Do" and so on.
  var drawings: [String] = []
  var information: [String: String] = [:]

  /// Adds a page of lines from the top.
  mutating func add(lines: [String], size: Double = 11, x: Double = 72, leading: Double = 14, from y: Double = 760) {
    var sheet = Sheet()
    for (index, line) in lines.enumerated() {
      sheet.texts.append(Text(x: x, y: y - Double(index) * leading, size: size, text: line))
    }
    sheets.append(sheet)
  }

  var data: Data {
    var objects: [Data] = []
    func add(_ text: String, stream: Data? = nil) {
      var object = Data(text.utf8)
      if let stream {
        object = Data("<< \(text) /Length \(stream.count) >>\nstream\n".utf8) + stream + Data("\nendstream".utf8)
      }
      objects.append(object)
    }
    let first = 6
    let kids = sheets.indices.map { "\(first + $0 * 3) 0 R" }.joined(separator: " ")
    let fields = (0..<sheets.reduce(0) { $0 + $1.fields.count }).map { "\(first + sheets.count * 3 + $0) 0 R" }
    let form = fields.isEmpty ? "" : "/AcroForm << /Fields [\(fields.joined(separator: " "))] >>"
    let drawn = drawings.indices.map { "/D\($0) \(first + sheets.count * 3 + fields.count + $0) 0 R" }
    var next = 0
    add("<< /Type /Catalog /Pages 2 0 R \(form) >>")
    add("<< /Type /Pages /Kids [\(kids)] /Count \(sheets.count) >>")
    add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
    add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>")
    add("<< " + information.map { "/\($0) (\(Self.escaped($1)))" }.joined(separator: " ") + " >>")
    for (index, sheet) in sheets.enumerated() {
      let own = fields[next..<(next + sheet.fields.count)].joined(separator: " ")
      next += sheet.fields.count
      let picture = sheet.picture == nil ? "" : "/Im \(first + index * 3 + 2) 0 R"
      let image = "/XObject << \(picture) \(drawn.joined(separator: " ")) >>"
      add(
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 \(sheet.width) \(sheet.height)] /Rotate \(sheet.rotation) "
          + "/Resources << /Font << /F1 3 0 R /F2 4 0 R >> \(image) >> /Contents \(first + index * 3 + 1) 0 R /Annots [\(own)] >>"
      )
      var content = sheet.picture == nil ? "" : "q \(sheet.width) 0 0 \(sheet.height) 0 0 cm /Im Do Q\n"
      content += sheet.content
      for text in sheet.texts {
        content += "BT /\(text.font) \(text.size) Tf \(text.x) \(text.y) Td (\(Self.escaped(text.text))) Tj ET\n"
      }
      add("", stream: content.data(using: .windowsCP1252)!)
      let pixels = sheet.picture ?? ([], 0, 0)
      add(
        "/Type /XObject /Subtype /Image /Width \(pixels.width) /Height \(pixels.height) "
          + "/ColorSpace /DeviceGray /BitsPerComponent 8", stream: Data(pixels.pixels))
    }
    for field in sheets.flatMap(\.fields) {
      let (x0, y0, x1, y1) = field.rect
      add("<< /Type /Annot /Subtype /Widget /Rect [\(x0) \(y0) \(x1) \(y1)] \(field.entries) >>")
    }
    for (index, drawing) in drawings.enumerated() {
      let resources = "/Resources << /XObject << \(drawn.prefix(index).joined(separator: " ")) >> >>"
      add("/Type /XObject /Subtype /Form /BBox [0 0 600 850] \(resources)", stream: Data(drawing.utf8))
    }
    var file = Data("%PDF-1.4\n".utf8)
    var offsets: [Int] = []
    for (index, object) in objects.enumerated() {
      offsets.append(file.count)
      file += Data("\(index + 1) 0 obj\n".utf8) + object + Data("\nendobj\n".utf8)
    }
    let start = file.count
    file += Data("xref\n0 \(objects.count + 1)\n0000000000 65535 f \n".utf8)
    for offset in offsets { file += Data((String(format: "%010d", offset) + " 00000 n \n").utf8) }
    file += Data("trailer << /Size \(objects.count + 1) /Root 1 0 R /Info 5 0 R >>\nstartxref\n\(start)\n%%EOF\n".utf8)
    return file
  }

  private static func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "(", with: "\\(")
      .replacingOccurrences(of: ")", with: "\\)")
  }
}
