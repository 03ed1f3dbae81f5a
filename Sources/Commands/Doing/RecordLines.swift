import Core
import Foundation

/// One JSON object per line, appended and flushed to the disk; a line torn by a crash is skipped. The latest of an id counts.
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
    guard handle >= 0 else { throw CommandError.placeUnusable(file.path, String(cString: strerror(errno))) }
    defer { close(handle) }
    let written = line.withUnsafeBytes { write(handle, $0.baseAddress, $0.count) }
    guard written == line.count, fsync(handle) == 0 else {
      throw CommandError.placeUnusable(file.path, String(cString: strerror(errno)))
    }
    if isNew { try DurableFile.sync(file.deletingLastPathComponent()) }
  }

  /// In the order they were written.
  func all() throws -> [Record] {
    guard FileManager.default.fileExists(atPath: file.path) else { return [] }
    return try Data(contentsOf: file).split(separator: 0x0A).compactMap {
      // A torn last line is what a crash leaves.
      try? JSONDecoder().decode(Record.self, from: Data($0))
    }
  }

  func replace(with records: [Record]) throws {
    let lines = try records.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) + "\n" }
    try WholeFile.write(lines.joined(), to: file)
  }

  func latest(by id: (Record) -> String) throws -> Latest {
    var latest = Latest()
    // What a torn line was about to say is found again by `Doer.recover`.
    for record in try all() { latest.insert(record, for: id(record)) }
    return latest
  }
}
