import Core
import Foundation
import Inference
import Resources

/// A text the person gave, or the answer before, that is to be changed: no evidence, and no marks for what no document carries.
struct GivenText: Material {
  let turn: Turn
  let text: String
  private let wish: Transformation
  /// The changed text, where the change needs no model.
  private let plain: String?

  /// A tool's words that were said last can be changed like an answer.
  static func read(
    for turn: Turn, _ told: ToldSoFar, _ history: [Prompt.Turn], _ record: inout AnswerRecord
  ) -> Findings {
    let wish = Transformation(turn.input.question)
    let said = told.isFresh ? told.told.last : nil
    if wish.text == nil, let said { record.told = [said.program] }
    guard let text = wish.text ?? said?.text ?? history.last?.answer else {
      return .answer(
        "There is no text to change yet: give it after a colon, in quotation marks or on lines of its own.")
    }
    return .material(GivenText(turn: turn, text: text, wish: wish, plain: wish.withoutModel(text)))
  }

  var evidence: Evidence { Evidence() }

  var quoting: Availability {
    plain == nil
      ? Availability(.extractive, available: false, reason: "this change takes more than the text's own words")
      : Availability(.extractive, available: true, reason: "the text's own words are enough")
  }

  func quoted(_ mode: Mode) -> Quoted? { plain.map { Quoted(text: $0) } }

  func write(with writer: Writer, _ limits: Limits, _ draft: inout Draft) async throws {
    // The smallest packs write the instructions into the text.
    let instructions = writer.author.parameters >= Verdict.least ? await turn.instructions : nil
    var request = GenerateRequest(.chat(Prompt.transform(text, wish: wish.wish, instructions)))
    request.maximumTokens = .max
    request.sampling.repeatPenalty = 1.05
    var written = try await writer.write("a text", request, through: Collector(turn), &draft.record)
    written.text = written.text.trimmingCharacters(in: .whitespacesAndNewlines)
    // No later prompt begins with this one, so there is nothing to read ahead.
    written.request = nil
    draft.take(written)
  }

  func check(_ draft: inout Draft) async throws {
    let isWhole = draft.written.lost == nil && wish.accepts(draft.record.answer, of: text)
    guard !draft.record.stopped, !isWhole, let plain else { return }
    draft.record.answer = plain
    draft.record.provider = ProviderKind.extractive.rawValue
    // It stands there whole.
    draft.record.dropped.removeAll { $0.what == DropNote.rest }
    draft.record.dropped.append(
      DropNote(
        what: "what the model wrote",
        reason: "\(draft.written.lost ?? "it is not what was asked for"); the text's own words are kept"))
    turn.emit(Ask.Event(replaced: plain))
  }
}
