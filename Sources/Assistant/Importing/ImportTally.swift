import Core
import Foundation
import Storage

/// Counts files while they are imported and says how long the rest will take, going by their bytes.
struct ImportTally: Sendable {
  private let began = ContinuousClock.now
  private let emit: @Sendable (ImportEvent) -> Void
  private var left: Double
  private var imported = 0
  private var skipped = 0
  private var broken = 0
  private var done = 0.0

  /// Where there are vectors to make, reading is about so much of the work.
  private let reading: Double
  /// Why documents will be found by their words only.
  var withoutVectors: String?

  init(_ files: [Int], withoutVectors: String?, emit: @escaping @Sendable (ImportEvent) -> Void) {
    self.withoutVectors = withoutVectors
    self.emit = emit
    reading = withoutVectors == nil ? 0.1 : 1
    left = Double(files.reduce(0) { $0 + $1 + Self.perFile })
  }

  /// What a file costs besides its bytes.
  private static let perFile = 2_000

  /// Progress of the file at hand, with the time left by what came before it.
  func relay(bytes: Int) -> @Sendable (ImportEvent) -> Void {
    let (began, done, left, emit, reading) = (began, done, left, emit, reading)
    let all = Double(bytes + Self.perFile)
    return { event in
      var event = event
      func share(_ done: Int?, _ of: Int?) -> Double { of.map { $0 > 0 ? Double(done ?? 0) / Double($0) : 0 } ?? 0 }
      let read = share(event.pagesDone, event.pages) * reading * all
      let known = event.chunksDone == nil ? 0 : (reading + (1 - reading) * share(event.chunksDone, event.chunks)) * all
      let finished = max(read, known)
      if done + finished > 0 {
        event.etaSeconds = began.msUntilNow / 1000 / (done + finished) * max(0, left - finished)
      }
      emit(event)
    }
  }

  /// The file has ended, however it did.
  private mutating func pass(_ bytes: Int) {
    done += Double(bytes + Self.perFile)
    left -= Double(bytes + Self.perFile)
  }

  mutating func stored(_ found: FileFinder.Found, _ outcome: Importer.Outcome, bytes: Int) {
    pass(bytes)
    guard outcome.stored.documents > 0 else {
      skipped += 1
      let reason = outcome.known > 0 ? "it is here already" : "it holds no document"
      return emit(ImportEvent(.skipped, found.name, reason: ([reason] + outcome.problems).joined(separator: "; ")))
    }
    imported += 1
    var reasons = outcome.problems
    if outcome.furtherProblems > 0 { reasons.append("\(outcome.furtherProblems) more like these") }
    if let withoutVectors { reasons.append("found by words only: \(withoutVectors)") }
    if outcome.stored.chunks == 0 { reasons.append("it holds no text") }
    emit(
      ImportEvent(
        .done, found.name, pages: outcome.pages, chunks: outcome.stored.chunks,
        reason: reasons.isEmpty ? nil : reasons.joined(separator: "; ")))
  }

  mutating func failed(_ found: FileFinder.Found, _ error: any Error, bytes: Int) {
    pass(bytes)
    broken += 1
    emit(ImportEvent(.failed, found.name, reason: RemoteError(error).message))
  }

  func summary() {
    var event = ImportEvent(.summary)
    (event.imported, event.skipped, event.failed) = (imported, skipped, broken)
    event.seconds = began.msUntilNow / 1000
    emit(event)
  }
}
