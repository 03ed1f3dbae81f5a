import Core
import Foundation
import Inference
import Models
import Resources

/// What was measured of each pack on this device. A cache: what is missing is measured again.
struct Tuning {
  struct Entry: Codable, Equatable {
    /// The number it computes best with.
    var threads: Int?
    /// Tokens per second of reading, as it is now.
    private(set) var promptSpeed: Double?
    /// What was found best; nil until it was measured.
    var best: TuneRow?
    /// Other programs kept the processor busy meanwhile: it is measured again at a quiet load.
    var isProvisional: Bool?

    /// Slower reading counts at once, because somebody waits; faster reading by and by, because it may have been a quiet moment.
    mutating func read(at speed: Double) {
      promptSpeed = promptSpeed.map { speed < $0 ? speed : $0 + (speed - $0) * 0.3 } ?? speed
    }

    func apply(to request: inout LoadRequest) {
      request.threads = threads
      best?.apply(to: &request)
    }
  }

  private let file: URL
  /// Where a graphics card computes other numbers are best.
  var card: String?
  private var entries: [String: Entry] = [:]

  init(_ file: URL) {
    self.file = file
    guard let data = FileManager.default.contents(atPath: file.path) else { return }
    do {
      entries = try JSON.decode([String: Entry].self, from: data)
    } catch { entries = [:] }  // damaged: measured again
  }

  subscript(pack: String) -> Entry { entries[key(pack)] ?? Entry() }

  mutating func keep(for pack: String, _ change: (inout Entry) -> Void) throws {
    change(&entries[key(pack), default: Entry()])
    try Folders.make(file.deletingLastPathComponent())
    try JSON.encode(entries, pretty: true).write(to: file, options: .atomic)
  }

  mutating func forget() throws {
    entries = [:]
    try FileManager.default.removeIfThere(file)
  }

  /// The cache folder may be shared between machines.
  private func key(_ pack: String) -> String {
    "\(pack) \(Processor.features) \(ProcessInfo.processInfo.activeProcessorCount)" + (card.map { " \($0)" } ?? "")
  }
}

/// What other programs make of the processor: percent of ten seconds in which somebody waited for it.
enum Crowd {
  /// So many that threads which wait for each other are in each other's way.
  static func isDense(_ stalled: Double?) -> Bool { stalled.map { $0 > 60 } ?? false }

  /// More than this, and a measurement says little of the device.
  static let most = 10.0

  /// Why what was measured between two readings is doubtful; nil where it is not, or where nobody counts.
  static func doubt(before: Double?, after: Double?) -> String? {
    guard let gravest = [before, after].compactMap(\.self).max(), gravest > most else { return nil }
    return "other programs kept the processor busy: somebody waited for it \(Int(gravest)) % of the time"
  }
}
