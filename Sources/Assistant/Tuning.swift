import Core
import Foundation

/// What was measured of each pack on this device. A cache: what is missing is measured again.
struct Tuning {
  struct Entry: Codable, Equatable {
    /// The number it computes best with.
    var threads: Int?
    /// Tokens per second of reading.
    var promptSpeed: Double?
  }

  private let file: URL
  private var entries: [String: Entry] = [:]

  init(_ file: URL) {
    self.file = file
    guard let data = FileManager.default.contents(atPath: file.path) else { return }
    do {
      entries = try JSON.decode([String: Entry].self, from: data)
    } catch { entries = [:] }  // damaged: measured again
  }

  subscript(pack: String) -> Entry { entries[Self.key(pack)] ?? Entry() }

  mutating func keep(for pack: String, _ change: (inout Entry) -> Void) throws {
    change(&entries[Self.key(pack), default: Entry()])
    try Folders.make(file.deletingLastPathComponent())
    try JSON.encode(entries, pretty: true).write(to: file, options: .atomic)
  }

  mutating func forget() throws {
    entries = [:]
    if FileManager.default.fileExists(atPath: file.path) { try FileManager.default.removeItem(at: file) }
  }

  /// The cache folder may be shared between machines.
  private static func key(_ pack: String) -> String {
    "\(pack) \(Processor.features) \(ProcessInfo.processInfo.activeProcessorCount)"
  }
}
