import Core
import DocumentEngine
import Documents
import Foundation
import LiberaDoors
import Synchronization
import Testing
import Workers

@testable import LiberaKit
@testable import Vision

/// Who reads pictures: what the program brings along, and Apple's adapter on our declarations of Vision.
enum ReaderSide: String, CaseIterable, Sendable {
  case tesseract, vision

  var engine: DocumentEngine { DocumentEngine(recogniser: self == .vision ? AppleTextRecogniser() : nil) }
}

/// Keeps what an engine tells.
private final class Told: ReplySink {
  var events: [ParseEvent] = []
  var payload = Data()
  func event(_ value: some Encodable) throws {
    if value is ParseEvent { events.append(try JSON.decode(ParseEvent.self, from: try JSON.encode(value))) }
  }
  func bytes(_ bytes: UnsafeRawBufferPointer) throws { payload.append(contentsOf: bytes) }

  var document: ParsedDocument? {
    events.reduce(into: nil) { document, event in
      switch event {
      case .document(let info): document = ParsedDocument(info: info)
      case .page(let page): document?.pages.append(page)
      default: break
      }
    }
  }
}

/// One table of pictures for both sides of the door to recognising text. What stands in a picture is known from the page that it was
/// drawn from; Vision's stand-in is told that, so that what is held is the adapter and what the engine makes of its lines.
@Suite("Recognising text", .serialized)
struct RecogniserTests {
  init() { VisionRoom.shared.state.withLock { $0 = VisionRoom.State() } }

  private static let lines = [
    "The boiler must be serviced once a year.", "Only trained staff may open the case.",
    "Keep this manual near the device.",
  ]

  private func ask(_ engine: DocumentEngine, _ operation: String, _ body: some Encodable, _ file: Data) throws -> Told {
    let path = FileManager.default.temporaryDirectory.appending(path: "libera-\(UUID().uuidString)")
    try file.write(to: path)
    let handle = try FileHandle(forReadingFrom: path)
    try FileManager.default.removeItem(at: path)
    let told = Told()
    try engine.handle(
      Call(
        operation: operation, body: JSON.encode(body), files: [handle.fileDescriptor], cancelled: CancelFlag()), told)
    try handle.close()
    return told
  }

  private func parse(_ engine: DocumentEngine, _ file: Data, languages: [String] = ["eng"]) throws -> ParsedDocument {
    var request = ParseRequest(name: "page")
    request.languages = languages
    return try #require(try ask(engine, "parse", request, file).document)
  }

  /// The page as it is written, and drawn as a picture.
  private func page(_ lines: [String]) throws -> (written: ParsedDocument, picture: Data) {
    let pdf = PlainPDF(pages: [lines]).data
    let drawn = try ask(DocumentEngine(), "render", RenderRequest(page: 1, scale: 200.0 / 72), pdf)
    return (try parse(DocumentEngine(), pdf), drawn.payload)
  }

  /// Where a line stands, or the words of a part of it, in points of the page.
  private func box(_ line: String, _ part: Range<String.Index>? = nil, in document: ParsedDocument) throws -> Box {
    let range = try #require(document.text.range(of: line), "\(line) in \(document.text)")
    let part = part ?? line.startIndex..<line.endIndex
    let start = document.text.utf8.distance(from: document.text.startIndex, to: range.lowerBound)
    let first = start + line.utf8.distance(from: line.startIndex, to: part.lowerBound)
    let last = start + line.utf8.distance(from: line.startIndex, to: part.upperBound)
    return try #require(document.marks(for: first..<last).first?.boxes.first)
  }

  /// Tells Vision's stand-in what stands in the picture.
  private func play(_ lines: [String], of written: ParsedDocument) throws {
    let page = try #require(written.pages.first)
    let found = try lines.map { line in
      func share(_ part: Range<String.Index>?) throws -> CGRect {
        let box = try box(line, part, in: written)
        return CGRect(
          x: box.x0 / page.width, y: 1 - box.y1 / page.height, width: box.width / page.width,
          height: box.height / page.height)
      }
      let words = try line.split(separator: " ").map { try share($0.startIndex..<$0.endIndex) }
      return VisionRoom.Line(line, confidence: 0.9, words: words, box: try share(nil))
    }
    VisionRoom.shared.state.withLock { $0.lines = found }
  }

  @Test("Both sides read a page, and their words stand where they were drawn", arguments: ReaderSide.allCases)
  func reads(side: ReaderSide) throws {
    let (written, picture) = try page(Self.lines)
    try play(Self.lines, of: written)
    let document = try parse(side.engine, picture)
    #expect(document.pages.first?.recognised ?? 0 > 0.7)
    let size = try #require(document.pages.first)
    let scale = size.width / (try #require(written.pages.first).width)
    for line in Self.lines {
      #expect(document.text.contains(line), "\(document.text)")
      let (wanted, found) = (try box(line, in: written), try box(line, in: document))
      #expect(abs(found.x0 - wanted.x0 * scale) < 6 && abs(found.x1 - wanted.x1 * scale) < 6, "\(line)")
      #expect(abs(found.y0 - wanted.y0 * scale) < 8 && abs(found.y1 - wanted.y1 * scale) < 8, "\(line)")
    }
  }

  @Test(
    "Lines right below one another are one paragraph, and what stands apart is another", arguments: ReaderSide.allCases)
  func paragraphs(side: ReaderSide) throws {
    let sentence = [
      "The tenant gives notice in writing and keeps to a period of", "three months to the end of a month.",
    ]
    let (written, picture) = try page(sentence)
    try play(sentence, of: written)
    let document = try parse(side.engine, picture)
    #expect(document.text.contains("a period of three months"), "\(document.text)")
  }

  @Test("An empty page is read as one, without a complaint", arguments: ReaderSide.allCases)
  func empty(side: ReaderSide) throws {
    let (_, picture) = try page([])
    #expect(try parse(side.engine, picture).text.isEmpty)
  }

  @Test("Vision is asked in its own names for languages, finds them out where none is known, and its failure is told")
  func vision() throws {
    let (_, picture) = try page(["Prüfung"])
    _ = try parse(ReaderSide.vision.engine, picture, languages: ["deu", "fra", "ita"])
    _ = try parse(ReaderSide.vision.engine, picture, languages: [])
    let asked = VisionRoom.shared.state.withLock(\.asked)
    #expect(asked.first?.languages == ["de-DE", "fr-FR"] && asked.first?.finds == false)
    #expect(asked.last?.finds == true)
    VisionRoom.shared.state.withLock { $0.fails = true }
    let error = #expect(throws: DocumentError.self) { _ = try parse(ReaderSide.vision.engine, picture) }
    #expect(error?.code == DocumentError.recognition("").code)
  }

  @Test("Boxes that no picture has are bounded, a word without one takes its line's, and unsure lines are left out")
  func odd() throws {
    let (_, picture) = try page(["x"])
    let whole = CGRect(x: 0.1, y: 0.5, width: 0.4, height: 0.02)
    VisionRoom.shared.state.withLock { state in
      state.lines = [
        VisionRoom.Line("far out", words: [CGRect(x: -3, y: 0.8, width: 9, height: 0.05), nil], box: whole),
        VisionRoom.Line(
          "nowhere", words: [CGRect(x: Double.nan, y: Double.infinity, width: 1, height: 1)], box: whole),
        VisionRoom.Line("a guess", confidence: 0.05, words: [whole, whole], box: whole),
        VisionRoom.Line("", words: [], box: whole),
      ]
    }
    let document = try parse(ReaderSide.vision.engine, picture)
    #expect(document.text.contains("far") && document.text.contains("out") && !document.text.contains("guess"))
    let page = try #require(document.pages.first)
    for mark in document.marks(for: 0..<document.text.utf8.count) {
      for box in mark.boxes {
        #expect(box.x0 >= 0 && box.y0 >= 0 && box.x1 <= page.width + 0.5 && box.y1 <= page.height + 0.5, "\(box)")
      }
    }
  }

  @Test("A library that is given the system's recogniser reads pictures by it")
  func library() async throws {
    let home = try KitHome(withPacks: false)
    let (written, picture) = try page(Self.lines)
    try play(Self.lines, of: written)
    let libera = try await Libera(home: home.home, caches: home.caches, recogniser: AppleTextRecogniser())
    _ = try await collected(libera.import([try home.write(picture, to: "page.png")]))
    let answer = try await libera.answer("Who may open the case?")
    #expect(answer.citations.contains { $0.text.contains("Only trained staff") }, "\(answer.answer)")
    #expect(VisionRoom.shared.state.withLock { !$0.asked.isEmpty })
    await libera.close()
  }
}
