import Core
import Foundation

/// One JSON object per line, appended and flushed to the disk. The latest of an id counts. A line that a crash tore is skipped;
/// any other line that cannot be read is an error, because what stands in it would be done a second time.
struct RecordLines<Record: Codable & Sendable>: Sendable {
  let file: URL

  init(_ file: URL) { self.file = file }

  struct Latest {
    private(set) var values: [String: Record] = [:]
    private var order: [String] = []

    mutating func insert(_ record: Record, for id: String) {
      if values.updateValue(record, forKey: id) == nil { order.append(id) }
    }

    var ordered: [Record] { order.compactMap { values[$0] } }
  }

  func append(_ record: Record) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // A leading newline ends a line that a crash left torn; empty lines are skipped when reading.
    var line = Data([0x0A])
    line += try encoder.encode(record)
    line.append(0x0A)
    let isNew = !FileManager.default.fileExists(atPath: file.path)
    let handle = open(file.path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    guard handle >= 0 else { throw WholeFile.refusal(file) }
    defer { close(handle) }
    let written = line.withUnsafeBytes { write(handle, $0.baseAddress, $0.count) }
    guard written == line.count, fsync(handle) == 0 else {
      throw WholeFile.refusal(file)
    }
    if isNew { try DurableFile.sync(file.deletingLastPathComponent()) }
  }

  /// In the order they were written.
  func all() throws -> [Record] {
    try read { number, line in
      // What a torn line was about to say is found again by `ActionRunner.recover`.
      guard Self.isTorn(line) else { throw CommandError.lineUnreadable(file.path, number + 1) }
    }
  }

  /// Of a file that somebody else may have written: what can be read, and how many lines cannot.
  func readable() throws -> (records: [Record], unread: Int) {
    var unread = 0
    let records = try read { _, line in if !Self.isTorn(line) { unread += 1 } }
    return (records, unread)
  }

  private func read(unreadable: (_ number: Int, _ line: Data) throws -> Void) throws -> [Record] {
    guard FileManager.default.fileExists(atPath: file.path) else { return [] }
    let lines = try Data(contentsOf: file).split(separator: 0x0A, omittingEmptySubsequences: false)
    return try lines.enumerated().compactMap { number, line in
      guard !line.isEmpty else { return nil }
      do { return try JSON.decode(Record.self, from: line, dates: .deferredToDate) } catch {
        try unreadable(number, line)
        return nil
      }
    }
  }

  /// All that a crash can leave of a line that is written at once: the beginning of an object without its end, or zeros where a
  /// page of the disk was not written yet, at its beginning, in its middle or at its end. JSON has no zero byte of its own.
  private static func isTorn(_ line: Data) -> Bool {
    if line.contains(0) { return true }
    var (depth, texts) = (0, JSONTexts())
    for byte in line {
      if !texts.holds(byte) { depth += byte == UInt8(ascii: "{") ? 1 : byte == UInt8(ascii: "}") ? -1 : 0 }
      if depth == 0 { return false }
    }
    return true
  }

  func replace(with records: [Record]) throws {
    let lines = try records.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) + "\n" }
    try WholeFile.write(lines.joined(), to: file)
  }

  func latest(by id: (Record) -> String) throws -> Latest {
    var latest = Latest()
    for record in try all() { latest.insert(record, for: id(record)) }
    return latest
  }
}
