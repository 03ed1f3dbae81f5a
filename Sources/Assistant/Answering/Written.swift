import Core
import Inference

/// What came of a model's writing.
struct Written: Sendable {
  /// Everything it wrote, and what of it a person has seen.
  var text = ""
  var shown = ""
  /// The sentences that may stand, checked.
  var sentences: [Tying.Checked] = []
  var stopped = false
  var repeated = false
  /// What ended the worker while it wrote, and why in words.
  var failure: (any Error)?
  var lost: String?
  /// Why the processor went on instead of a graphics card.
  var leftCard: String?
  var firstTokenMs: Double?
  var prompt = PromptReport()
  var report: GenerateReport?
  /// As the pack was asked, with how many tokens of context, and why it could write no more than it did.
  var request: GenerateRequest?
  var contextTokens = 0
  var cut = ""

  var cutShort: Bool { report?.finish == .length || report?.finish == .context }

  func fill(_ timings: inout AnswerRecord.Timings) {
    timings.firstTokenMs = firstTokenMs ?? timings.firstTokenMs
    timings.promptTokens += prompt.promptTokens
    timings.reusedTokens += prompt.reusedTokens
    timings.generatedTokens += report?.generatedTokens ?? 0
    timings.tokensPerSecond = report?.tokensPerSecond
  }

  /// Tokens per second of reading, once enough was read to go by.
  var promptSpeed: Double? {
    let read = prompt.promptTokens - prompt.reusedTokens
    guard let report, read >= 64, report.promptMs > 0 else { return nil }
    return Double(read) / report.promptMs * 1000
  }

  /// What was left out on the way, and why.
  var notes: [DropNote] {
    var notes: [DropNote] = []
    if let lost { notes.append(DropNote(what: DropNote.rest, reason: lost)) }
    if prompt.droppedMessages > 0 {
      notes.append(
        DropNote(
          what: "the \(prompt.droppedMessages) oldest messages of this conversation",
          reason: "the model's context of \(contextTokens) tokens is full"))
    }
    if cutShort { notes.append(DropNote(what: DropNote.rest, reason: cut)) }
    if repeated { notes.append(DropNote(what: DropNote.rest, reason: "it began to repeat itself")) }
    return notes
  }
}

/// A part of an answer: a model's own sentence, or the documents' words.
enum AnswerPart: Sendable, Equatable {
  case written(Tying.Checked)
  case quoted(Quote)

  var checked: Tying.Checked? { if case .written(let checked) = self { checked } else { nil } }
  var quote: Quote? { if case .quoted(let quote) = self { quote } else { nil } }

  /// On one line, as an entry of a list: without a mark of its own.
  var plain: String {
    let text =
      switch self {
      case .written(let sentence): sentence.text.onOneLine
      case .quoted(let quote): quote.sentences.joined(separator: " ")
      }
    return String(text.trimmingPrefix(/[-•*–]\s+/))
  }

  static func list(of parts: [AnswerPart]) -> String { parts.map { "- \($0.plain)" }.joined(separator: "\n") }

  static func text(of parts: [AnswerPart]) -> String {
    var text = ""
    for part in parts {
      switch part {
      case .written(let sentence): text += (text.isEmpty ? "" : " ") + sentence.text
      case .quoted(let quote): text += (text.isEmpty ? "" : "\n\n") + quote.text
      }
    }
    return text
  }
}

/// Counted things in words.
enum Counted {
  static func words(_ count: Int, _ what: String) -> String { count == 1 ? "one \(what)" : "\(count) \(what)s" }
}
