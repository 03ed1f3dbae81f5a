import Core
import Documents
import Foundation

/// Many messages in one file (mbox): each begins with a line "From …" after an empty one, and is a document of its own. They are
/// read one at a time, so that a mailbox of any size needs the memory of one message.
struct Mailbox {
  let source: ByteSource

  private static let mostMessages = 1_000_000
  private static let mostBytes = 128 << 20
  /// A message is handed on in one piece.
  private static let mostText = 2 << 20

  static var bounds: Attachments.Bounds {
    var bounds = Attachments.Bounds()
    bounds.textBytes = mostText
    return bounds
  }

  static func begins(_ text: String) -> Bool { text.hasPrefix("From ") && MailDocument.begins(text) }

  func parse(_ output: ParseOutput, _ attachments: Attachments) throws {
    let starts = try starts(output)
    var names: [String: Int] = [:]
    for (index, start) in starts.enumerated() {
      try output.checkCancelled()
      let number = index + 1
      let range = start..<(index + 1 < starts.count ? starts[index + 1] : source.size)
      guard output.wants(number), !output.request.leaving.contains(number) else {
        // Those behind it are called the same whoever reads them.
        if range.count <= Self.mostBytes {
          let name = MailDocument(try head(of: range)).name ?? "message \(number)"
          names[name, default: 0] += 1
        }
        continue
      }
      // One that ends the reader costs itself alone.
      try output.reading(number)
      attachments.begin(message: index, of: starts.count)
      do {
        try add(range, number, &names, output, attachments)
      } catch let error as DocumentError { try output.problem(number, error) }
      if number % 32 == 0 || number == starts.count { try output.progress(number, of: starts.count) }
    }
  }

  private func add(
    _ range: Range<Int>, _ number: Int, _ names: inout [String: Int], _ output: ParseOutput, _ attachments: Attachments
  ) throws {
    guard range.count <= Self.mostBytes else {
      throw DocumentError.tooLarge(bytes: range.count, limit: Self.mostBytes)
    }
    let message = MailDocument(Self.unescaped(try source.read(at: range.lowerBound, count: range.count)))
    var info = message.info()
    info.kind = .mailbox
    let name = message.name ?? "message \(number)"
    names[name, default: 0] += 1
    info.record = Self.record(name, names[name, default: 1])
    info.title = info.title ?? info.author
    var blocks: [Block] = []
    var bytes = 0
    for block in try message.blocks(attachments).flatMap(\.pieces) {
      bytes += block.text.utf8.count
      guard bytes <= Self.mostText else { break }
      blocks.append(block)
    }
    info.language = LanguageGuess.guess(blocks.prefix(400).map(\.text).joined(separator: " "))
    try output.begin(info)
    try output.add(Page(number: number, blocks: blocks))
    try attachments.tellUnread()
    if bytes > Self.mostText { try output.problem(number, DocumentError.tooMuchText(limit: Self.mostText)) }
  }

  /// A message may lie in a mailbox twice, and a stranger may write another's subject and date, and a number of ours behind them: what
  /// ends in one is given one as well, so that no two names are ever the same.
  private static func record(_ name: String, _ count: Int) -> String {
    count > 1 || name.contains(#/ \(\d+\)$/#) ? "\(name) (\(count))" : name
  }

  /// As much of a message as holds its headers.
  private func head(of range: Range<Int>) throws -> [UInt8] {
    var count = 64 << 10
    while true {
      let bytes = try source.read(at: range.lowerBound, count: min(count, range.count))
      let ends = bytes.indices.dropLast(2).contains { place in
        bytes[place] == 10 && (bytes[place + 1] == 10 || bytes[place + 1] == 13 && bytes[place + 2] == 10)
      }
      if ends || bytes.count < count { return Self.unescaped(bytes) }
      count *= 4
    }
  }

  /// Where each message begins.
  private func starts(_ output: ParseOutput) throws -> [Int] {
    var starts: [Int] = []
    var (afterEmpty, waiting) = (true, Int?.none)
    try eachLine(output) { start, line in
      if let begun = waiting, Self.isHeader(line) {
        guard starts.count < Self.mostMessages else {
          throw DocumentError.tooManyPages(starts.count + 1, limit: Self.mostMessages)
        }
        starts.append(begun)
      }
      waiting = afterEmpty && line.starts(with: Array("From ".utf8)) ? start : nil
      afterEmpty = line.isEmpty || line.elementsEqual([13])
    }
    return starts.isEmpty ? [0] : starts
  }

  /// "Name: text"; a sentence that begins with "From" after an empty line is followed by none.
  private static func isHeader(_ line: ArraySlice<UInt8>) -> Bool {
    guard let colon = line.prefix(80).firstIndex(of: 0x3A), colon > line.startIndex else { return false }
    return line[..<colon].allSatisfy { $0 > 32 && $0 < 127 }
  }

  /// The beginning of each line and where it stands.
  private func eachLine(_ output: ParseOutput, _ body: (Int, ArraySlice<UInt8>) throws -> Void) throws {
    var (offset, start) = (0, 0)
    var head: [UInt8] = []
    while offset < source.size {
      try output.checkCancelled()
      let piece = try source.read(at: offset, count: 1 << 20)
      guard !piece.isEmpty else { break }
      var from = 0
      while let end = piece[from...].firstIndex(of: 10) {
        head += piece[from..<end].prefix(100 - min(100, head.count))
        try body(start, head[...])
        (head, from) = ([], end + 1)
        start = offset + from
      }
      head += piece[from...].prefix(100 - min(100, head.count))
      offset += piece.count
    }
    if !head.isEmpty { try body(start, head[...]) }
  }

  /// Lines of a text that begin with "From " were written as ">From ".
  private static func unescaped(_ bytes: [UInt8]) -> [UInt8] {
    let mark = Array("From ".utf8)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var rest = bytes[...]
    while !rest.isEmpty {
      let end = rest.firstIndex(of: 10).map { $0 + 1 } ?? rest.endIndex
      let line = rest[..<end]
      let quoted = line.first == 0x3E && line.drop { $0 == 0x3E }.starts(with: mark)
      result += quoted ? line.dropFirst() : line
      rest = rest[end...]
    }
    return result
  }
}
