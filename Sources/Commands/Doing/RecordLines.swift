import Core
import Foundation
import Synchronization

/// One JSON object per line, appended and flushed to the disk. The latest of an id counts. A line that a crash tore is skipped;
/// any other line that cannot be read is an error, because what stands in it would be done a second time.
///
/// The records of years are asked for every minute, so they are kept, and only what was appended since is read.
final class RecordLines<Record: Codable & Sendable>: Sendable {
  let file: URL

  /// What was read of which file.
  private struct Known {
    var inode: UInt64 = 0
    var size = 0
    /// Where its last whole line ends, and how many there are.
    var end = 0
    var lines = 0
    /// The bytes before that end: where others stand there, something has changed what had been read already.
    var mark = Data()
    var records: [Record] = []
    /// What stands behind the last whole line, where a crash left out no more than its end.
    var last: Record?
  }

  private let known = Mutex(Known())
  private static var markBytes: Int { 256 }

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
    try known.withLock { known in
      try readOn(&known)
      guard let last = known.last else { return known.records }
      return known.records + [last]
    }
  }

  private func readOn(_ known: inout Known) throws {
    guard FileManager.default.fileExists(atPath: file.path) else { return known = Known() }
    let handle = try FileHandle(forReadingFrom: file)
    var status = stat()
    guard fstat(handle.fileDescriptor, &status) == 0 else { throw WholeFile.refusal(file) }
    let (inode, size) = (UInt64(status.st_ino), Int(status.st_size))
    if known.inode != inode || known.size > size { known = Known() }
    guard known.size != size else { return }
    try handle.seek(toOffset: UInt64(known.end - known.mark.count))
    var data = try handle.readToEnd() ?? Data()
    guard data.prefix(known.mark.count) == known.mark else {
      known = Known()
      return try readOn(&known)
    }
    data = Data(data.dropFirst(known.mark.count))
    let lines = data.split(separator: 0x0A, omittingEmptySubsequences: false)
    let records = try lines.enumerated().map { number, line in
      try Self.record(line) { throw CommandError.lineUnreadable(file.path, known.lines + number + 1) }
    }
    known.records += records.dropLast().compactMap(\.self)
    known.last = records.last ?? nil
    let whole = data.dropLast(lines.last?.count ?? 0)
    known.mark = Data((known.mark + whole).suffix(Self.markBytes))
    known.end += whole.count
    known.lines += lines.count - 1
    (known.inode, known.size) = (inode, known.end + (lines.last?.count ?? 0))
  }

  /// Of a file that somebody else may have written: what can be read, and how many lines cannot.
  func readable() throws -> (records: [Record], unread: Int) {
    var unread = 0
    let lines = try Data(contentsOf: file).split(separator: 0x0A)
    return (try lines.compactMap { try Self.record($0) { unread += 1 } }, unread)
  }

  /// nil where the line is empty or torn; what a torn line was about to say is found again by `ActionRunner.recover`.
  private static func record(_ line: Data, unreadable: () throws -> Void) throws -> Record? {
    guard !line.isEmpty else { return nil }
    do { return try JSON.decode(Record.self, from: line, dates: .deferredToDate) } catch {
      if !isTorn(line) { try unreadable() }
      return nil
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
    try known.withLock { known in
      try WholeFile.write(lines.joined(), to: file)
      known = Known()
    }
  }

  func latest(by id: (Record) -> String) throws -> Latest {
    var latest = Latest()
    for record in try all() { latest.insert(record, for: id(record)) }
    return latest
  }
}
