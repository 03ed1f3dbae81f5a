import CLeptonica
import Core
import Documents
import Foundation
import Testing
import Workers

@testable import DocumentEngine

/// Keeps what an engine sends.
final class Collected: ReplySink {
  var events: [ParseEvent] = []
  var other: [Data] = []
  var payload = Data()
  var onEvent: (ParseEvent) -> Void = { _ in }

  func event(_ value: some Encodable) throws {
    // Through JSON and back, as between processes.
    let data = try JSON.encode(value)
    if value is ParseEvent {
      let event = try JSON.decode(ParseEvent.self, from: data)
      events.append(event)
      onEvent(event)
    } else {
      other.append(data)
    }
  }

  func bytes(_ bytes: UnsafeRawBufferPointer) throws { payload.append(contentsOf: bytes) }

  var documents: [ParsedDocument] {
    events.reduce(into: []) { documents, event in
      switch event {
      case .document(let info): documents.append(ParsedDocument(info: info))
      case .page(let page): documents[documents.count - 1].pages.append(page)
      default: break
      }
    }
  }

  var problems: [PageProblem] {
    events.compactMap { if case .problem(let problem) = $0 { problem } else { nil } }
  }

  var report: ParseReport? {
    events.lazy.compactMap { if case .done(let report) = $0 { report } else { nil } }.first
  }
}

/// A document engine driven as a worker would drive it.
struct InProcess {
  let engine = DocumentEngine()

  func call(
    _ operation: String, _ body: some Encodable, _ file: Data, into sink: Collected,
    cancelled: CancelFlag = CancelFlag()
  ) throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "libera-\(UUID().uuidString)")
    try file.write(to: path)
    let descriptor = open(path.path, O_RDONLY)
    try FileManager.default.removeItem(at: path)
    defer { close(descriptor) }
    try engine.handle(
      Call(operation: operation, body: JSON.encode(body), files: [descriptor], cancelled: cancelled), sink)
  }

  func collect(_ file: Data, _ name: String = "file", _ change: (inout ParseRequest) -> Void = { _ in }) throws
    -> Collected
  {
    var request = ParseRequest(name: name)
    change(&request)
    let sink = Collected()
    try call("parse", request, file, into: sink)
    return sink
  }

  func parse(_ file: Data, _ name: String = "file", _ change: (inout ParseRequest) -> Void = { _ in }) throws
    -> ParsedDocument
  {
    guard let document = try collect(file, name, change).documents.first else { throw DocumentError.empty }
    return document
  }

  func parse(_ text: String, _ name: String = "file") throws -> ParsedDocument { try parse(Data(text.utf8), name) }

  func render(_ file: Data, _ request: RenderRequest) throws -> (page: RenderedPage, bytes: Data) {
    let sink = Collected()
    try call("render", request, file, into: sink)
    return (try JSON.decode(RenderedPage.self, from: sink.other[0]), sink.payload)
  }

  /// The same as its pixels, four bytes each: blue, green, red, and one that says nothing.
  func pixels(_ file: Data, _ request: RenderRequest) throws -> (page: RenderedPage, pixels: [UInt8]) {
    let (page, png) = try render(file, request)
    let picture = png.withUnsafeBytes { pixReadMem($0.baseAddress?.assumingMemoryBound(to: UInt8.self), $0.count) }
    return (page, try Canvas(Scan(taking: #require(picture)), scale: 1).pixels)
  }
}

extension ParsedDocument {
  var blocks: [Block] { pages.flatMap(\.blocks) }
  var headings: [String] { blocks.filter { if case .heading = $0.kind { true } else { false } }.map(\.text) }

  /// The marks of the first place where `passage` stands.
  func marks(of passage: String) -> [Mark] {
    guard let range = text.range(of: passage) else { return [] }
    let start = text.utf8.distance(from: text.startIndex, to: range.lowerBound)
    return marks(for: start..<start + passage.utf8.count)
  }
}
