import Core
import Spoken

/// A recording as far as it was read: where it was cut short it goes on behind the last of its pieces.
actor RecordingSoFar {
  private(set) var pieces: [SpeechTranscript] = []
  private var request: TranscribeRequest
  private var report: TranscribeReport?
  /// What it took until it was last cut short.
  private var decodeMs = 0.0

  init(_ request: TranscribeRequest) { self.request = request }

  func goOn(_ file: CInt, with transcriber: Transcriber) async throws -> TranscribeReport {
    // Cut short in the very moment in which it ended.
    if let report { return report }
    let began = ContinuousClock.now
    for try await event in try await transcriber.transcribe(file, request) {
      switch event {
      case .piece(let piece, let seconds):
        pieces.append(piece)
        request.from = seconds
      case .done(var done):
        done.decodeMs += decodeMs
        report = done
        return done
      }
    }
    decodeMs += began.msUntilNow
    throw CancellationError()
  }
}
