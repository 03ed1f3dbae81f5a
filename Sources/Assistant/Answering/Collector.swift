import Core
import Foundation
import Inference
import Retrieval
import Workers

/// Takes in a text while a model writes it: each sentence is checked against the evidence as soon as it has ended, and the first
/// that rests on it opens the stream.
struct Collector: Sendable {
  private let turn: Turn
  private let tying: Tying
  /// False for a text of which only parts may be seen later.
  let isShown: Bool
  /// What a person sees before its first word.
  private let lead: String
  private var written = Written()
  private var settled = SettledSentences()
  private var seen: Set<String> = []

  init(_ turn: Turn, _ tying: Tying = Tying(Evidence()), isShown: Bool = true, lead: String = "") {
    self.turn = turn
    self.tying = tying
    self.isShown = isShown
    self.lead = lead
  }

  /// A stop by the person is no error: what was written until then is the text.
  mutating func collect(
    _ events: AsyncThrowingStream<GenerationEvent, any Error>, _ progress: Governing.Progress
  ) async throws -> Written {
    do {
      for try await event in events where try await !take(event, progress) { break }
      if Task.isCancelled { written.stopped = true }
    } catch is CancellationError {
      written.stopped = true
    } catch  where !written.text.isEmpty && (error is WorkerError || error is PlatformFailure) {
      // What was written is kept; the record says why there is no more.
      written.failure = error
    }
    if !written.repeated {
      _ = try await settle(settled.end())
      stream()
    }
    if written.stopped, isShown { written.text = written.shown }
    return written
  }

  /// False once nothing more is wanted.
  private mutating func take(_ event: GenerationEvent, _ progress: Governing.Progress) async throws -> Bool {
    switch event {
    case .reading(let tokens): if isShown { turn.emit(Ask.Event(reading: tokens)) }
    case .prompt(let report): written.prompt = report
    case .piece(let piece):
      if written.text.isEmpty, isShown { turn.phases.end("read the prompt") }
      written.text += piece
      progress.wrote()
      guard try await settle(settled.add(piece)) else { return false }
      stream()
    case .thought(let text):
      progress.wrote()
      if isShown { turn.emit(Ask.Event(thought: text)) }
    case .logprobs: break
    case .leftCard(let reason):
      written.leftCard = reason
      turn.emit(Ask.Event(notice: GraphicsCards.words(left: reason)))
    case .done(let report):
      written.report = report
      written.stopped = report.finish == .cancelled
    }
    return true
  }

  /// False once a sentence comes a second time: a small pack that begins to repeat itself does not find out again.
  private mutating func settle(_ sentences: [SettledSentences.Sentence]) async throws -> Bool {
    for sentence in sentences {
      guard sentence.text.utf8.count < 24 || seen.insert(sentence.text).inserted else {
        written.repeated = true
        written.text = String(decoding: written.text.utf8.prefix(sentence.start), as: UTF8.self)
        return false
      }
      guard !tying.evidence.isEmpty else { continue }
      let checked = try await meaning(of: tying.check(sentence.text))
      written.sentences.append(checked)
      turn.emit(Ask.Event(sentence: Tying.shown(checked)))
    }
    return true
  }

  /// Looks at the meaning too where the words alone carry nothing.
  private func meaning(of checked: Tying.Checked) async throws -> Tying.Checked {
    guard case .unsupported(.nothingSimilar, _) = checked.result, !Task.isCancelled,
      let vector = try await tying.finder?.vectors(of: [checked.text])?.first
    else { return checked }
    return tying.check(checked.text, vector: vector)
  }

  /// What is made up altogether is never seen: the words stream as soon as one sentence rests on the evidence.
  private mutating func stream() {
    guard isShown else { return }
    if tying.evidence.isEmpty || written.sentences.contains(where: { $0.verdict != nil }) {
      show(String(decoding: written.text.utf8.dropFirst(written.shown.utf8.count), as: UTF8.self))
    }
  }

  private mutating func show(_ piece: String) {
    guard !piece.isEmpty else { return }
    let isFirst = written.shown.isEmpty
    if isFirst { written.firstTokenMs = turn.began.msUntilNow }
    written.shown += piece
    turn.emit(Ask.Event(piece: isFirst ? lead + piece : piece))
  }
}
