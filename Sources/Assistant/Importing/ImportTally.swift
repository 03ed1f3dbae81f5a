import Core
import Foundation
import Storage
import Synchronization

/// Counts files while they are imported, by whoever reads and whoever indexes, and says how long the rest will take, going by
/// their bytes.
final class ImportTally: Sendable {
  private struct Counts {
    var withoutVectors: String?
    var isReading = true
    /// Files that were read, and their bytes; the one at hand, its bytes, and how much of it is read.
    var files = 0
    var read = 0.0
    var document: String?
    var bytes = 0.0
    var share = 0.0
    /// Chunks that are stored, that have their vectors, and that have them of those being indexed now.
    var chunks = 0
    var indexed = 0
    var indexing = 0
    var imported = 0
    var skipped = 0
    var failed = 0
  }

  private let began = ContinuousClock.now
  private let all: Double
  private let files: Int
  private let counts: Mutex<Counts>
  private let emit: @Sendable (ImportStep) -> Void
  /// Where there are vectors to make, reading is about so much of the work.
  private let readingShare: Double

  init(_ files: [FileFinder.Found], withoutVectors: String?, emit: @escaping @Sendable (ImportStep) -> Void) {
    all = files.reduce(0) { $0 + Self.work($1) }
    self.files = files.count
    counts = Mutex(Counts(withoutVectors: withoutVectors))
    readingShare = withoutVectors == nil ? 0.3 : 1
    self.emit = emit
  }

  /// What a file costs besides its bytes.
  private static let perFile = 2_000

  private static func work(_ found: FileFinder.Found) -> Double { Double(found.bytes) + Double(perFile) }

  /// Why documents will be found by their words only.
  var withoutVectors: String? { counts.withLock { $0.withoutVectors } }
  var areAllStored: Bool { counts.withLock { $0.failed == 0 } }
  var isReading: Bool { counts.withLock { $0.isReading } }

  // MARK: Reading

  func begins(_ found: FileFinder.Found) {
    counts.withLock { ($0.document, $0.bytes, $0.share) = (found.name, Self.work(found), 0) }
  }

  /// Progress of the file at hand.
  func progress(_ event: ImportStep) {
    tell(event) { counts in
      guard let pages = event.pages, pages > 0, let done = event.pagesDone else { return }
      counts.share = Double(done) / Double(pages)
    }
  }

  func took(_ stored: DocumentShelf.Stored) { counts.withLock { $0.chunks += stored.chunks } }

  /// The file has been read, or has failed. Of small ones many are stored together, and end together: until then this tells of each.
  func passed() {
    tell(ImportStep(.progress, counts.withLock { $0.document })) { counts in
      counts.files += 1
      (counts.read, counts.bytes) = (counts.read + counts.bytes, 0)
    }
  }

  func hasRead() { counts.withLock { $0.isReading = false } }

  // MARK: Indexing

  func waits(_ reason: String) {
    tell(ImportStep(.progress, counts.withLock { $0.document }, reason: reason)) { _ in }
  }

  /// So many of the chunks at hand have their vectors.
  func indexed(_ done: Int) {
    var event = ImportStep(.progress, counts.withLock { $0.document })
    event.chunksDone = 0
    tell(event) { $0.indexing = done }
  }

  func settled(_ chunks: Int) {
    counts.withLock { counts in
      counts.indexed += chunks
      counts.indexing = 0
    }
  }

  func lost(_ reason: String) { counts.withLock { $0.withoutVectors = reason } }

  private func tell(_ event: ImportStep, _ change: (inout Counts) -> Void) {
    var event = event
    let counts = counts.withLock { counts in
      change(&counts)
      return counts
    }
    (event.filesRead, event.files) = (counts.files, files)
    if event.chunksDone != nil {
      (event.chunksDone, event.chunks) = (min(counts.indexed + counts.indexing, counts.chunks), counts.chunks)
    }
    let share = counts.chunks > 0 ? min(1, Double(counts.indexed + counts.indexing) / Double(counts.chunks)) : 1
    let done = (counts.read + counts.share * counts.bytes) * (readingShare + (1 - readingShare) * share)
    if done > 0 { event.etaSeconds = began.msUntilNow / 1000 / done * max(0, all - done) }
    emit(event)
  }

  // MARK: How files end

  /// What is passed over, or read in another place than was named.
  func remark(_ remark: FileFinder.Remark) {
    if remark.isLeftOut { counts.withLock { $0.skipped += 1 } }
    emit(ImportStep(remark.isLeftOut ? .skipped : .progress, remark.name, reason: remark.reason))
  }

  func stored(_ found: FileFinder.Found, _ outcome: Importer.Outcome) {
    guard outcome.stored.documents > 0 else {
      counts.withLock { $0.skipped += 1 }
      let reason = outcome.known > 0 ? "it is here already" : "it holds no document"
      return emit(ImportStep(.skipped, found.name, reason: ([reason] + outcome.problems).joined(separator: "; ")))
    }
    let withoutVectors = counts.withLock { counts in
      counts.imported += 1
      return counts.withoutVectors
    }
    var reasons = outcome.problems
    if outcome.furtherProblems > 0 { reasons.append("\(outcome.furtherProblems) more like these") }
    if let withoutVectors { reasons.append("found by words only: \(withoutVectors)") }
    if outcome.stored.chunks == 0 { reasons.append("it holds no text") }
    emit(
      ImportStep(
        .done, found.name, pages: outcome.pages, chunks: outcome.stored.chunks,
        reason: reasons.isEmpty ? nil : reasons.joined(separator: "; ")))
  }

  func failed(_ found: FileFinder.Found, _ error: any Error) {
    counts.withLock { $0.failed += 1 }
    let told = RemoteError(error)
    emit(ImportStep(.failed, found.name, reason: told.message, code: told.code))
  }

  func summary() {
    var event = ImportStep(.summary)
    let counts = counts.withLock { $0 }
    (event.imported, event.skipped, event.failed) = (counts.imported, counts.skipped, counts.failed)
    event.seconds = began.msUntilNow / 1000
    emit(event)
  }
}
