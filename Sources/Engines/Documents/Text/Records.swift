import Core
import Documents
import Foundation

/// One line of a JSONL collection.
struct Record: Decodable {
  var id: String?
  var title: String?
  var text: String

  enum CodingKeys: String, CodingKey {
    case id = "_id"
    case title, text
  }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    if let number = try? fields.decode(Int.self, forKey: .id) {
      id = String(number)
    } else {
      id = try fields.decodeIfPresent(String.self, forKey: .id)
    }
    title = try fields.decodeIfPresent(String.self, forKey: .title)
    text = try fields.decode(String.self, forKey: .text)
  }
}

/// What records are called: by their ids, those without one by the number of their line. Where that is the id of another one, the one
/// that comes later has its line behind its name; so has whatever ends like that by itself, so that no two are called the same but
/// those of the same id.
struct RecordNames {
  private var unnamed: LineMarks
  private var ids: LineMarks

  init(lines: Int) { (unnamed, ids) = (LineMarks(lines), LineMarks(lines)) }

  mutating func name(_ id: String?, line: Int) -> String {
    guard let id else {
      unnamed.add(line)
      return ids.contains(line) ? "\(line) (line \(line))" : "\(line)"
    }
    let number = Int(id).flatMap { String($0) == id ? $0 : nil }
    if let number { ids.add(number) }
    let isTaken = number.map { unnamed.contains($0) } ?? false
    return isTaken || id.hasSuffix(")") && id.contains(#/ \(line \d+\)$/#) ? "\(id) (line \(line))" : id
  }
}

/// Some of a file's lines, a bit for each: there may be many millions.
private struct LineMarks {
  private var bits: [UInt64]

  init(_ lines: Int) { bits = Array(repeating: 0, count: lines / 64 + 1) }

  mutating func add(_ line: Int) {
    if bits.indices.contains(line / 64), line > 0 { bits[line / 64] |= 1 << (line % 64) }
  }

  func contains(_ line: Int) -> Bool {
    line > 0 && bits.indices.contains(line / 64) && bits[line / 64] >> (line % 64) & 1 == 1
  }
}

/// Records are read line by line, so that a collection of any size needs the memory of one.
struct RecordsParser {
  let source: ByteSource

  private static let longest = 4 << 20
  private static let short = 4 << 10
  /// In bytes: it is the document's name.
  private static let longestName = 1000

  func parse(_ output: ParseOutput) throws {
    var number = 0
    let count = try lines()
    var names = RecordNames(lines: count)
    try eachLine { line in
      number += 1
      if number % 256 == 0 || number == count { try output.progress(number, of: count) }
      guard output.wants(number), !output.request.leaving.contains(number), line.contains(where: { $0 > 32 }) else {
        // Those behind it are called the same whoever reads them.
        if number < output.request.first, let record = try? Self.record(line, number) {  // nil: it has no name
          _ = names.name(record.id, line: number)
        }
        return number < (output.request.last ?? .max)
      }
      // One that ends the reader costs itself alone; of short ones none does.
      if line.count > Self.short { try output.reading(number) }
      do {
        try add(line, number, &names, output)
      } catch let error as DocumentError {
        if case .tooMuchText = error { throw error }
        try output.problem(number, error)
      }
      return number < (output.request.last ?? .max)
    }
  }

  private static func record(_ line: ArraySlice<UInt8>, _ number: Int) throws -> Record {
    let record: Record
    do {
      guard line.count < longest else { throw DocumentError.recordUnreadable(line: number, "it is too long") }
      record = try JSON.decode(Record.self, from: Data(line))
    } catch let error as DecodingError {
      throw DocumentError.recordUnreadable(line: number, reason(error))
    }
    guard record.id?.utf8.count ?? 0 <= longestName else {
      throw DocumentError.recordUnreadable(line: number, "its _id is too long")
    }
    return record
  }

  private func add(
    _ line: ArraySlice<UInt8>, _ number: Int, _ names: inout RecordNames, _ output: ParseOutput
  ) throws {
    let record = try Self.record(line, number)
    var info = DocumentInfo(kind: .records)
    info.record = names.name(record.id, line: number)
    info.title = record.title.flatMap { $0.isBlank ? nil : $0.collapsed() }
    info.language = LanguageGuess.guess(record.text)
    info.encoding = "utf-8"
    try output.begin(info)
    var blocks = PlainText.blocks(record.text)
    // A text that begins with its title says it once.
    if let title = info.title, blocks.first?.text.collapsed().hasPrefix(title) != true {
      blocks.insert(Block(.heading(level: 1), title), at: 0)
    }
    try output.add(Page(number: number, blocks: blocks.flatMap(\.pieces)))
  }

  private static func reason(_ error: DecodingError) -> String {
    switch error {
    case .keyNotFound(let key, _): "it has no \(key.stringValue)"
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      "\(context.codingPath.last?.stringValue ?? "it") is of another type"
    default: "it is no JSON"
    }
  }

  private func lines() throws -> Int {
    var (count, offset, last) = (0, 0, UInt8(10))
    while offset < source.size {
      let piece = try source.read(at: offset, count: 1 << 20)
      guard let end = piece.last else { break }
      count += piece.count { $0 == 10 }
      (offset, last) = (offset + piece.count, end)
    }
    return last == 10 ? count : count + 1
  }

  /// `body` returns false to stop.
  private func eachLine(_ body: (ArraySlice<UInt8>) throws -> Bool) throws {
    var rest: [UInt8] = []
    var offset = 0
    while offset < source.size {
      let piece = try source.read(at: offset, count: 1 << 20)
      guard !piece.isEmpty else { break }
      offset += piece.count
      rest += piece
      // What came before this piece holds no end of a line.
      var (start, from) = (0, rest.count - piece.count)
      while let end = rest[from...].firstIndex(of: 10) {
        if try !body(rest[start..<end]) { return }
        (start, from) = (end + 1, end + 1)
      }
      rest.removeFirst(start)
      // A line without an end is kept only as far as is needed to refuse it.
      if rest.count > 2 * Self.longest { rest.removeLast(rest.count - Self.longest - 1) }
    }
    if !rest.isEmpty { _ = try body(rest[...]) }
  }
}
