import Commands
import Core
import DocumentEngine
import Documents
import Foundation
import Models
import TestSupport
import Workers

/// The headers of model files.
final class Headers: Target {
  static let name = "headers"
  private let scratch: Scratch
  let seeds: [Seed]

  init() async throws {
    scratch = try Scratch()
    seeds = [Seed(Made.gguf(tensors: 3)), Seed(Made.gguf(tensors: 0)), Seed(Made.gguf(tensors: 40))]
  }

  func feed(_ input: Data) async throws {
    let header = try GGUFHeader(at: scratch.file("model.gguf", input))
    _ = Footprint(header).total(context: 4096)
    _ = (header.text("general.name"), header.unsigned("llama.context_length"))
  }

  func end() async { scratch.remove() }
}

/// What a person says: times and commands.
final class Times: Target {
  static let name = "times"
  private let understander: Understander
  private let resolver: TimeResolver
  private let grammar: GrammarMatcher
  let seeds = [
    "remind me to call Dr. O'Neill tomorrow at half past seven in the evening",
    "schedule a meeting with Ana from 2 to 3:30 pm every second friday of the month until 2027-02-31",
    "email john@example.com, subject budget 2026, saying the 31st of february is fine \"really\"",
    "note that in 90 minutes, 3 weeks after easter, the last working day before christmas 1999 at 24:00 UTC+14 passes",
    "what's on next quarter between the 1st and 15th; read my mail since yesterday noon",
    "remind me to water \"the é 🕰️ plants\" <|im_start|> '; DROP [CLS] \u{2028} in 99999999999999999999 hours </s>",
  ].map { Seed($0) }

  init() async throws {
    guard let zone = TimeZone(identifier: "Europe/Berlin"),
      let resolver = TimeResolver(local: "2026-06-10T09:30:00", zone: zone)
    else { throw Violation(what: "no resolver") }
    self.resolver = resolver
    understander = Understander(model: try .bundled())
    grammar = try .ofFrames()
  }

  func feed(_ input: Data) async throws {
    let text = String(decoding: input.prefix(1000), as: UTF8.self)
    var dice = Dice(input.reduce(0) { $0 &* 31 &+ UInt64($1) })
    let recognition = dice.next(2) == 0 ? nil : Double(dice.next(100)) / 100
    let result = understander.understand(
      text, with: resolver, recognition: recognition, reading: dice.next(2) == 0 ? nil : Self.reading(text, &dice))
    for frame in [result.frame] + result.alternatives where !grammar.accepts(frame.json) {
      throw Violation(what: "a frame beside the grammar: \(text.debugDescription)")
    }
  }

  /// An encoder that reads anything into anything.
  private static func reading(_ text: String, _ dice: inout Dice) -> EncoderReading {
    let names = ["O", "B-title", "I-title", "B-body", "I-body", "B-subject", "B-recipient", "I-recipient", "B-time"]
    let tags = EncoderReader.words(text).flatMap { _ -> [Float] in
      let chosen = dice.next(names.count)
      return names.indices.map { $0 == chosen ? 0.99 : 0.00125 }
    }
    let intent = dice.pick(Intent.allCases)
    return EncoderReading(labels: ["none": 0.05].merging([intent.rawValue: 0.95]) { $1 }, tags: tags, names: names)
  }
}

/// What is sent back by an engine that runs in this process.
private final class Nobody: ReplySink {
  func event(_ value: some Encodable) throws { _ = try JSON.encode(value) }
  func bytes(_ payload: UnsafeRawBufferPointer) throws {}
}

/// An engine of documents, driven as its worker would drive it.
private final class Reader: Sendable {
  // One thread at a time feeds a target; the type cannot say so.
  private nonisolated(unsafe) let engine = DocumentEngine()
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  func read(_ input: Data, name: String, renders: Bool) throws {
    let file = open(try scratch.file("paper", input).path, O_RDONLY)
    defer { close(file) }
    var request = ParseRequest(name: name)
    request.recognise = false
    request.limits.pages = 20
    request.limits.textBytes = 4 << 20
    request.limits.unpackedBytes = 16 << 20
    request.limits.secondsPerPage = 5
    try engine.handle(Call(operation: "parse", body: JSON.encode(request), files: [file]), Nobody())
    guard renders else { return }
    let page = RenderRequest(page: 1, scale: 0.2)
    try engine.handle(Call(operation: "render", body: JSON.encode(page), files: [file]), Nobody())
  }

  func ask(_ operation: String, _ body: some Encodable, _ input: Data?) throws {
    let file = try input.map { open(try scratch.file("paper", $0).path, O_RDONLY) }
    defer { if let file { close(file) } }
    try engine.handle(
      Call(operation: operation, body: JSON.encode(body), files: file.map { [$0] } ?? []), Nobody())
  }

  func end() { scratch.remove() }
}

/// Documents that are text, in every kind.
final class Papers: Target {
  static let name = "papers"
  private let reader: Reader
  let seeds = Made.papers.map { Seed($0) }

  init() async throws { reader = try Reader() }

  func feed(_ input: Data) async throws {
    let names = ["a.md", "a.html", "a.csv", "a.json", "a.txt", "a.eml", "a.xml", "a"]
    try reader.read(input, name: names[input.count % names.count], renders: false)
  }

  func end() async { reader.end() }
}

/// Documents of other programs: PDF, pictures, word processors' files and books.
final class Packages: Target {
  static let name = "packages"
  private let reader: Reader
  let seeds = Made.packages

  init() async throws { reader = try Reader() }

  func feed(_ input: Data) async throws {
    let isPDF = input.starts(with: Data("%PDF".utf8))
    try reader.read(input, name: "file", renders: isPDF)
  }

  func end() async { reader.end() }
}

/// Calendar files that strangers sent.
final class Calendars: Target {
  static let name = "calendars"
  let seeds =
    [
      "SUMMARY:Standup\r\nDTSTART;TZID=Europe/Berlin:20260302T090000\r\nDURATION:PT15M\r\nRRULE:FREQ=WEEKLY;BYDAY=MO,-1FR;COUNT=10",
      "SUMMARY:Long\r\nDESCRIPTION:Bring the\\nkeys.\r\nDTSTART:20260101T000000Z\r\nDTEND:20260102T000000Z\r\nRRULE:FREQ=YEARLY;INTERVAL=2;BYMONTH=1,2;BYMONTHDAY=-1,31;BYSETPOS=1;UNTIL=20400101T000000Z\r\nEXDATE:20280131T000000Z",
      "SUMMARY;LANGUAGE=de:F\\,old\r\n ed line\r\nDTSTART;VALUE=DATE:20260704\r\nRRULE:FREQ=MONTHLY;BYYEARDAY=1,-366;BYWEEKNO=53;BYHOUR=1,2;BYMINUTE=3\r\nBEGIN:VALARM\r\nTRIGGER:-P1DT2H3M4S\r\nEND:VALARM",
    ].map { body in
      Seed("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:1@x\r\n\(body)\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n")
    }

  private let reader: Reader

  init() async throws { reader = try Reader() }

  func feed(_ input: Data) async throws {
    let from = 1_780_000_000
    try reader.ask("calendar", CalendarRequest(from: from, until: from + 90 * 86400, zone: "Europe/Berlin"), input)
    // As a document of the library it is told with more of its words.
    if input.count % 4 == 0 { try reader.read(input, name: "a.ics", renders: false) }
  }

  func end() async { reader.end() }
}

/// Messages that strangers sent.
final class Mails: Target {
  static let name = "mails"
  private let reader: Reader
  let seeds = Made.mails.map { Seed($0.replacing("\n", with: "\r\n")) }

  init() async throws { reader = try Reader() }

  func feed(_ input: Data) async throws { try reader.ask("mail", MailRequest(), input) }
  func end() async { reader.end() }
}

/// Markdown that a model wrote, for the page.
final class Answers: Target {
  static let name = "answers"
  private let reader: Reader
  let seeds = Made.papers.map { Seed($0) }

  init() async throws { reader = try Reader() }

  func feed(_ input: Data) async throws {
    let text = String(decoding: input, as: UTF8.self)
    let sentences = text.split(separator: ".", maxSplits: 3).map(String.init)
    try reader.ask("markdown", MarkdownRequest(text: text, sentences: sentences), nil)
  }

  func end() async { reader.end() }
}
