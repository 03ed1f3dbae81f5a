import LiberaKit
public import Observation

/// The system's voice.
public protocol Voice: Sendable {
  /// Returns once all of it was said. Ending the task ends it at once.
  /// - Parameter language: A code as "en".
  func say(_ text: String, in language: String) async throws
}

/// An answer that is read aloud: one at a time, by its button.
@MainActor @Observable
public final class ReadingAloud: Fallible {
  private let voice: (any Voice)?
  /// The turn that is being read.
  public private(set) var speaking: ChatTurn.ID?
  @ObservationIgnored private var saying: Task<Void, Never>?

  public init(_ voice: (any Voice)?) { self.voice = voice }

  public var canSpeak: Bool { voice != nil }

  /// - Parameter unsupported: What is said after a sentence that nothing in the documents carries.
  public func read(_ turn: ChatTurn, unsupported: String) {
    guard let voice else { return }
    let words = Self.words(of: turn, unsupported: unsupported)
    let before = saying
    before?.cancel()
    (speaking, problem) = (turn.id, nil)
    saying = Task {
      // Only one voice speaks at a time.
      await before?.value
      do {
        try Task.checkCancellation()
        try await voice.say(words, in: Libera.language(of: words))
      } catch { if !Task.isCancelled { self.failed(error) } }
      if !Task.isCancelled { self.speaking = nil }
    }
  }

  /// No further word.
  public func hush() {
    saying?.cancel()
    speaking = nil
  }

  /// The same, and waits until it is quiet.
  public func stop() async {
    hush()
    await saying?.value
  }

  /// Returns when everything was said; for whoever must wait.
  public func settled() async { await saying?.value }

  /// The answer without the marks that only an eye needs.
  static func words(of turn: ChatTurn, unsupported: String) -> String {
    var text = turn.text
    for sentence in turn.unsupported {
      guard let place = text.firstRange(of: sentence.text) else { continue }
      text.replaceSubrange(place, with: "\(sentence.text) (\(unsupported))")
    }
    let lines = text.split(separator: "\n").map { line in
      String(line.trimmingPrefix(/[\s>#*+•-]+/)).filter { !"*_`#|[]".contains($0) }
    }
    return lines.filter { !$0.allSatisfy(\.isWhitespace) }.joined(separator: "\n")
  }
}
