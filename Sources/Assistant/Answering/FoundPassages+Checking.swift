import Core
import Foundation
import Inference
import Retrieval

/// How a model's answer to a question is held to what was found: sentences are kept, written again, replaced or marked.
extension FoundPassages {
  func check(_ draft: inout Draft) async throws {
    // What no model wrote rests on itself.
    guard !evidence.items.isEmpty, draft.written.request != nil else { return }
    let written = draft.written
    if !written.stopped { try await stand(&draft) }
    guard !draft.record.abstained, draft.parts != written.sentences.map(AnswerPart.written) else { return }
    let answer = AnswerPart.text(of: draft.parts)
    if answer != written.text { show(answer, after: written.shown) }
    draft.record.answer = answer
    if draft.record.timings.firstTokenMs == nil { draft.record.timings.firstTokenMs = turn.began.msUntilNow }
  }

  /// What a person has already read is only added to, where that is possible.
  private func show(_ answer: String, after shown: String) {
    if answer.hasPrefix(shown) {
      turn.emit(Ask.Event(piece: String(answer.dropFirst(shown.count))))
    } else {
      turn.emit(Ask.Event(replaced: answer))
    }
  }

  /// What the answer consists of where nobody stopped it.
  private func stand(_ draft: inout Draft) async throws {
    let quotes = quotes(draft.record.mode)
    let kept = draft.parts.compactMap(\.checked)
    if kept.contains(where: { $0.verdict != nil }) { return }
    // The pack found nothing, and it was not sure from the beginning that anything is there: nothing is.
    if draft.record.finding == .probably {
      return try await withhold(&draft, because: "no sentence of it is in your documents, and little in them is near")
    }
    guard !quotes.isEmpty else { return }
    // Not one sentence is in the documents: what they say stands in its place, and stands there whole.
    draft.record.dropped.removeAll { $0.what == DropNote.rest }
    draft.parts = quotes.map(AnswerPart.quoted)
    draft.record.provider = ProviderKind.extractive.rawValue
    draft.record.dropped.append(
      DropNote(
        what: "what the model wrote", reason: "no sentence of it is in your documents; they are quoted instead"))
  }

  /// There is no answer after all: what is nearest is said instead.
  func withhold(_ draft: inout Draft, because reason: String) async throws {
    (draft.record.finding, draft.record.provider) = (.notThere, ProviderKind.templates.rawValue)
    let what = draft.written.request == nil ? "what was found" : "what the model wrote"
    draft.record.dropped.append(DropNote(what: what, reason: reason))
    draft.record.answer = FindingWords.of(turn.asked).answer(evidence)
    draft.record.citations = try await evidence.nearestCited(Citing(shelf: turn.house.documents))
    show(draft.record.answer, after: draft.written.shown)
  }

  // MARK: Repairing

  /// How many sentences of one answer are written again at most.
  private static let repairs = 4

  /// Deep: a sentence that nothing carries is written once more, from the passage next to it alone, or gives way to a quotation.
  /// Where the pack goes meanwhile, or the person stops it, the answer is finished all the same.
  func repair(_ draft: inout Draft, with writer: Writer) async throws {
    let (tying, quotes) = (Tying(evidence), quotes(draft.record.mode))
    var repaired: [AnswerPart] = []
    var (again, quoted, gone) = (0, 0, 0)
    var lost = draft.written.lost
    for part in draft.parts {
      guard let sentence = part.checked, sentence.isUnsupported else {
        repaired.append(part)
        continue
      }
      var better: Tying.Checked?
      if lost == nil, !Task.isCancelled, again + quoted + gone < Self.repairs {
        do { better = try await rewritten(sentence, tying, writer, &draft.record) } catch let end as WriterLost {
          lost = end.reason
          draft.record.dropped.append(DropNote(what: "what was to be written again", reason: end.reason))
        } catch is CancellationError {
          // The rest is finished without the pack.
        }
      }
      if let better {
        repaired.append(.written(better))
        again += 1
      } else if let quote = Composition.substitute(
        for: sentence.text, quotes, used: repaired.compactMap(\.quote))
      {
        repaired.append(.quoted(quote))
        quoted += 1
      } else {
        gone += 1
      }
    }
    let reason = "the documents do not say it"
    for (count, what) in [(again, "was written again"), (quoted, "gave way to a quotation"), (gone, "was left out")]
    where count > 0 {
      draft.record.dropped.append(DropNote(what: "\(Counted.words(count, "sentence")) that \(what)", reason: reason))
    }
    draft.parts = repaired
  }

  private func rewritten(
    _ sentence: Tying.Checked, _ tying: Tying, _ writer: Writer, _ record: inout AnswerRecord
  ) async throws -> Tying.Checked? {
    guard case .unsupported(_, let nearest) = sentence.result else { return nil }
    let item = evidence.items[nearest?.candidate ?? 0]
    let prompt = Prompt.repair(
      sentence.text, of: turn.asked,
      from: Prompt.Evidence(label: item.citation.label, text: item.citation.text))
    var request = GenerateRequest(.chat(prompt))
    request.maximumTokens = 96
    let written = try await writer.words("a sentence", request, &record)
    guard !written.stopped, let first = Sentences.split(written.text).first else { return nil }
    let checked = tying.check(first)
    return checked.verdict == nil ? nil : checked
  }
}
