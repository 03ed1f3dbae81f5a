import Core
import Foundation

/// How many threads each pack was found to compute best with on this device. A cache: without it the next load measures again.
struct Tuning {
  private let file: URL
  private var threads: [String: Int] = [:]

  init(_ file: URL) {
    self.file = file
    guard let data = FileManager.default.contents(atPath: file.path) else { return }
    do {
      threads = try JSON.decode([String: Int].self, from: data)
    } catch { threads = [:] }  // damaged: measured again
  }

  subscript(pack: String) -> Int? {
    threads["\(pack) \(Processor.features) \(ProcessInfo.processInfo.activeProcessorCount)"]
  }

  mutating func keep(_ count: Int, for pack: String) throws {
    threads["\(pack) \(Processor.features) \(ProcessInfo.processInfo.activeProcessorCount)"] = count
    try Folders.make(file.deletingLastPathComponent())
    try JSON.encode(threads, pretty: true).write(to: file, options: .atomic)
  }

  /// Measured again with the next load.
  mutating func forget() throws {
    threads = [:]
    if FileManager.default.fileExists(atPath: file.path) { try FileManager.default.removeItem(at: file) }
  }
}
