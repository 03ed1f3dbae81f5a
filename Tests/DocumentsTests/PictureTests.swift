import Core
import Documents
import Foundation
import Testing

@Suite("A picture of text")
struct PictureTests {
  let parser = InProcess()

  /// A page of text drawn as pixels, as a scanner would deliver it.
  private func scan(_ lines: [String], rotation: Int = 0) throws -> (pixels: [UInt8], width: Int, height: Int) {
    var pdf = PDFWriter()
    pdf.add(lines: lines, size: 14, leading: 22, from: 700)
    pdf.sheets[0].rotation = rotation
    let (page, bytes) = try parser.pixels(pdf.data, RenderRequest(page: 1, scale: 200.0 / 72))
    return (stride(from: 0, to: bytes.count, by: 4).map { bytes[$0] }, page.width, page.height)
  }

  private static let lines = [
    "The boiler must be serviced once a year.", "Only trained staff may open the case.",
    "Keep this manual near the device.",
  ]

  @Test("A photograph whose EXIF ends where it begins is read like one without")
  func shortEXIF() throws {
    func part(_ mark: UInt8, _ bytes: [UInt8]) -> [UInt8] { [0xFF, mark, 0, UInt8(bytes.count + 2)] + bytes }
    let code = [1] + [UInt8](repeating: 0, count: 16)
    let photograph =
      [0xFF, 0xD8] + part(0xE1, Array("Exif".utf8)) + part(0xDB, [0] + [UInt8](repeating: 1, count: 64))
      + part(0xC0, [8, 0, 1, 0, 1, 1, 1, 0x11, 0]) + part(0xC4, [0] + code) + part(0xC4, [0x10] + code)
      + part(0xDA, [1, 1, 0, 0, 0x3F, 0]) + [0x3F, 0xFF, 0xD9]
    let document = try parser.parse(Data(photograph)) { $0.recognise = false }
    #expect(document.info.kind == .image && document.pages.count == 1)
  }

  @Test("A scanned page in a PDF is read, and its words are marked where they stand")
  func scannedPage() throws {
    let pdf = PDFWriter(sheets: [PDFWriter.Sheet(picture: try scan(Self.lines))])
    let document = try parser.parse(pdf.data) { $0.languages = ["eng"] }
    #expect(document.pages[0].recognised ?? 0 > 0.7)
    #expect(document.text.contains("Only trained staff may open the case."))
    let box = try #require(document.marks(of: "trained").first?.boxes.first)
    // Drawn at x 72, second line 22 points below 700 from the bottom.
    #expect(box.x0 > 90 && box.x0 < 130)
    #expect(box.y0 < 842 - 678 && box.y1 > 842 - 690 && box.height < 25)
  }

  @Test("A picture file is read like a page, and turned upright when it stands on its head", arguments: [0, 180])
  func file(rotation: Int) throws {
    var pdf = PDFWriter()
    pdf.add(lines: Self.lines, size: 14, leading: 22, from: 700)
    pdf.sheets[0].rotation = rotation
    let png = try parser.render(pdf.data, RenderRequest(page: 1, scale: 200.0 / 72)).bytes
    #expect(png.starts(with: [0x89, 0x50]))
    let document = try parser.parse(png, "photo.txt") { $0.languages = ["eng"] }
    #expect(document.info.kind == .image)
    #expect(document.text.contains("Only trained staff may open the case."))
  }

  @Test("German and French letters survive recognition")
  func languages() throws {
    let lines = [
      "Die Prüfung größerer Anlagen erfolgt jährlich.", "L'été dernier, le garçon a mangé près de la forêt.",
    ]
    let pdf = PDFWriter(sheets: [PDFWriter.Sheet(picture: try scan(lines))])
    let text = try parser.parse(pdf.data).text
    for word in ["Prüfung", "größerer", "jährlich", "été", "garçon", "forêt"] { #expect(text.contains(word)) }
  }

  @Test("A document in another language is read in its own, whatever was read before")
  func nextDocument() throws {
    func text(_ lines: [String]) throws -> String {
      let pdf = PDFWriter(sheets: [PDFWriter.Sheet(picture: try scan(lines))])
      return try parser.parse(pdf.data).text
    }
    _ = try text(Self.lines + ["It is the duty of the owner to have it checked by one of the staff."])
    let german = try text(["Die Wärmezähler werden jährlich geprüft.", "Größere Mängel sind dem Händler zu melden."])
    for word in ["Wärmezähler", "jährlich", "geprüft", "Größere", "Händler"] { #expect(german.contains(word)) }
  }

  @Test("A page is drawn with its passage marked, at no more pixels than asked for")
  func rendering() throws {
    var pdf = PDFWriter()
    pdf.add(lines: ["A passage to mark"])
    let mark = Box(72, 70, 200, 90)
    var request = RenderRequest(page: 1, scale: 1, marks: [mark])
    let (page, pixels) = try parser.pixels(pdf.data, request)
    let inside = (75 * page.width + 190) * 4
    #expect(pixels[inside] < 120 && pixels[inside + 2] == 255)
    let outside = (200 * page.width + 190) * 4
    #expect(pixels[outside] == 255)
    request.scale = 20
    request.pixels = 1_000_000
    #expect(try parser.render(pdf.data, request).page.width <= 1000)
    #expect(throws: DocumentError.noSuchPage(7, of: 1)) {
      try parser.render(pdf.data, RenderRequest(page: 7, scale: 1))
    }
    #expect(throws: DocumentError.noPicture(.text)) {
      try parser.render(Data("Just some words.".utf8), RenderRequest(page: 1, scale: 1))
    }
  }
}
