import Core
import Foundation
import Inference
import Models
import Resources
import Retrieval
import Storage

/// A document, or several, worked through as a whole: every section is read and what each says most plainly is kept. A model
/// phrases these points one by one, a larger one also says in a few sentences what they say together; each point is cited.
struct WholeDocuments: Material {
  private struct Bounds {
    /// Points of a summary, entries of a list.
    var points: Int
    var entries: Int
    /// How long a model may phrase points before the rest is quoted.
    var seconds: Double

    static func of(_ mode: Mode) -> Bounds {
      switch mode {
      case .fast: Bounds(points: 6, entries: 24, seconds: 8)
      case .deep: Bounds(points: 14, entries: 120, seconds: 45)
      }
    }
  }

  /// In seconds.
  static func longestWriting(_ mode: Mode) -> Double { Bounds.of(mode).seconds }

  /// More text than this is not read in one turn; what was left is named.
  private static let longestText = 4_000_000
  /// From so many parameters on a pack tells what a whole document says.
  private static let summaries: Int64 = 1_000_000_000

  let turn: Turn
  let evidence: Evidence
  let sections: Sections
  /// Which of the sentences, in the order of the documents; one item of the evidence each.
  let points: [Int]
  let seconds: Double
  /// Lists are the documents' own words; a model only phrases what is to be summed up.
  let isPhrased: Bool

  // MARK: Reading

  static func read(for turn: Turn, _ record: inout AnswerRecord, _ history: [Prompt.Turn]) async throws -> Findings {
    let (question, house) = (turn.asked, turn.house)
    let library = try await house.documents.list(collection: turn.input.collection).filter { $0.state != .failed }
    let scope: Scope = turn.input.collection.map { .collections([$0]) } ?? .everything
    let chosen = try await WholeReading.chosen(for: question, of: library, after: history) { words in
      try await house.finder(for: words).search(words, scope: scope).passages.map(\.document.id)
    }
    record.retrievalUsed = true
    guard !chosen.documents.isEmpty else {
      record.finding = .notThere
      return .answer("There is no document to work through. Import one first.")
    }
    let titles = chosen.documents.map(\.title).joined(separator: ", ")
    if chosen.isGuess {
      record.completedQuestion = "\(question) — \(titles)"
      turn.emit(Ask.Event(completed: record.completedQuestion))
    }
    let sections = try await sections(of: chosen.documents, for: question, house.documents, &record)
    turn.phases.end("read the documents")
    let points = points(of: sections, for: question, &record)
    let evidence = try await evidence(for: points, sections, chosen.documents, house.documents)
    record.timings.retrieveMs = turn.began.msUntilNow
    record.timings.firstEvidenceMs = turn.began.msUntilNow
    record.passagesConsulted = sections.chunks.count
    record.sectionsRead = sections.sections.count
    record.citations = evidence.items.map(\.citation)
    turn.emit(Ask.Event(evidence: record.citations))
    guard !points.isEmpty else {
      record.finding = .notThere
      return .answer(
        "All of \(titles) was read (\(Counted.words(sections.sections.count, "section"))), and nothing of that kind is in it."
      )
    }
    record.finding = .found
    return .material(
      WholeDocuments(
        turn: turn, evidence: evidence, sections: sections, points: points,
        seconds: turn.house.longestWriting(record.mode), isPhrased: !WholeReading.isList(question)))
  }

  private static func sections(
    of documents: [StoredDocument], for question: String, _ shelf: DocumentShelf, _ record: inout AnswerRecord
  ) async throws -> Sections {
    var chunks: [Chunk] = []
    var bytes = 0
    for document in documents {
      for chunk in try await shelf.chunks(of: document.id) {
        try Task.checkCancellation()
        bytes += chunk.content.text.utf8.count
        guard bytes <= longestText else {
          record.dropped.append(
            DropNote(
              what: "\(document.title) from page \(chunk.content.pageFrom ?? 1) on",
              reason: "\(longestText / 1_000_000) MB of text is the most one answer reads"))
          break
        }
        chunks.append(chunk)
      }
    }
    let title = documents.count == 1 ? documents[0].title : ""
    let focus = ListedThings.focus(
      of: question, title: documents.map { $0.title + " " + $0.name }.joined(separator: " "))
    return Sections(chunks, title: title, focus: focus.isEmpty ? nil : QuestionProfile(focus))
  }

  private static func points(
    of sections: Sections, for question: String, _ record: inout AnswerRecord
  ) -> [Int] {
    let bounds = Bounds.of(record.mode)
    guard WholeReading.isList(question) else { return sections.points(atMost: bounds.points) }
    let mentions = sections.mentions(of: ListedThings.shape(of: question))
    if mentions.count > bounds.entries {
      record.dropped.append(
        DropNote(
          what: "\(mentions.count - bounds.entries) further places",
          reason: "\(bounds.entries) is the most one answer lists"))
    }
    return Array(mentions.prefix(bounds.entries))
  }

  /// One item of evidence for each point: the chunk it stands in.
  private static func evidence(
    for points: [Int], _ sections: Sections, _ documents: [StoredDocument], _ shelf: DocumentShelf
  ) async throws -> Evidence {
    var evidence = Evidence()
    let citing = Citing(shelf: shelf)
    for point in points {
      let chunk = sections.chunks[sections.sentences[point].chunk]
      guard let document = documents.first(where: { $0.id == chunk.document }) else { continue }
      let passage = Passage(chunk, of: document, relevance: 1, scores: StageScores())
      let place = CitationPlace(document: document.id, range: chunk.content.start..<chunk.content.end)
      evidence.items.append(
        Evidence.Item(passage: passage, citation: try await citing.citation(place, of: document, score: 1)))
    }
    return evidence
  }

  // MARK: Without a model

  func wants(_ pack: Pack?) -> Bool { isPhrased }

  var quoting: Availability { .extractive(passages: points.count) }

  func quoted(_ mode: Mode) -> Quoted? {
    let parts = points.indices.map(quote)
    return Quoted(parts: parts, text: AnswerPart.list(of: parts))
  }

  private func quote(_ index: Int) -> AnswerPart {
    let sentence = sections.sentences[points[index]]
    return .quoted(
      Quote(
        item: index, range: sentence.range,
        sentences: [sentence.text.onOneLine], breaks: [false]))
  }

  // MARK: With a model

  /// Each point in the pack's words where they rest on its section, else in its own.
  func write(with writer: Writer, _ limits: Limits, _ draft: inout Draft) async throws {
    let tying = Tying(evidence)
    let began = ContinuousClock.now
    var parts: [AnswerPart] = []
    var (late, refused) = (0, 0)
    for index in points.indices where !draft.record.stopped {
      var part = quote(index)
      if draft.written.lost != nil || began.msUntilNow > seconds * 1000 {
        late += 1
      } else if let phrased = try await phrased(index, writer, tying, &draft) {
        part = .written(phrased)
      } else if draft.written.lost != nil {
        late += 1
      } else {
        refused += 1
      }
      guard !draft.record.stopped else { break }
      parts.append(part)
      turn.emit(Ask.Event(piece: "- \(part.plain)\n"))
    }
    note(refused, "they do not rest on what stands there; it is quoted instead", &draft)
    note(
      late,
      "\(draft.written.lost ?? "\(Int(seconds)) s of writing is the most for this mode"); they are quoted instead",
      &draft)
    var summary: [Tying.Checked] = []
    if writer.author.parameters >= Self.summaries, late == 0, !draft.record.stopped, parts.count > 2 {
      summary = try await merged(parts, writer, tying, &draft)
    }
    if !parts.contains(where: { $0.checked != nil }) { draft.record.provider = ProviderKind.extractive.rawValue }
    draft.parts = summary.map(AnswerPart.written) + parts
    draft.record.answer = AnswerPart.list(of: parts)
    if !summary.isEmpty {
      draft.record.answer = summary.map(\.text).joined(separator: " ") + "\n\n" + draft.record.answer
      turn.emit(Ask.Event(replaced: draft.record.answer))
    }
  }

  private func note(_ count: Int, _ reason: String, _ draft: inout Draft) {
    guard count > 0 else { return }
    draft.record.dropped.append(
      DropNote(what: "the model's words for \(Counted.words(count, "section"))", reason: reason))
  }

  /// One point from its section's best sentences alone; nil where the words do not rest on it.
  private func phrased(
    _ index: Int, _ writer: Writer, _ tying: Tying, _ draft: inout Draft
  ) async throws -> Tying.Checked? {
    let text = WholeReading.extract(of: sections, around: points[index])
    let written = try await words(Prompt.point(of: text, question: turn.asked), most: 64, writer, &draft)
    guard let sentence = Sentences.split(written).first, WholeReading.isWhole(sentence) else { return nil }
    let checked = tying.check(sentence)
    return checked.verdict?.candidate == index && !Instructions.addressesAnswer(sentence) ? checked : nil
  }

  /// What the points say together, in a few sentences of a pack that can: each rests on a section, or there are none.
  private func merged(
    _ parts: [AnswerPart], _ writer: Writer, _ tying: Tying, _ draft: inout Draft
  ) async throws -> [Tying.Checked] {
    let prompt = Prompt.merge(parts.map(\.plain), question: turn.asked)
    let written = try await words(prompt, most: draft.record.mode == .deep ? 200 : 110, writer, &draft)
    if let lost = draft.written.lost {
      draft.record.dropped.append(DropNote(what: "what the points say together", reason: lost))
    }
    let sentences = Sentences.split(written).filter(WholeReading.isWhole).map { tying.check($0) }
    let kept = WholeReading.kept(sentences)
    let left = sentences.count - kept.count
    if left > 0 {
      draft.record.dropped.append(
        DropNote(
          what: "\(Counted.words(left, "sentence")) of what the model said of all points together",
          reason: kept.isEmpty ? "too little of it rests on the document" : "the document does not say it"))
    }
    return kept
  }

  /// What the pack writes; nothing where it goes meanwhile, which is noted, or where the person stops it.
  private func words(
    _ prompt: [Message], most: Int, _ writer: Writer, _ draft: inout Draft
  ) async throws -> String {
    var request = GenerateRequest(.chat(prompt))
    request.maximumTokens = most
    do {
      let written = try await writer.words("a summary", request, &draft.record)
      if draft.record.timings.firstTokenMs == nil { draft.record.timings.firstTokenMs = turn.began.msUntilNow }
      (draft.written.lost, draft.record.stopped) = (written.lost, written.stopped)
      return written.lost == nil && !written.stopped ? written.text : ""
    } catch let end as WriterLost {
      draft.written.lost = end.reason
    } catch is CancellationError {
      draft.record.stopped = true
    }
    return ""
  }

  // MARK: Checking

  /// Each sentence was checked as it was written.
  func check(_ draft: inout Draft) async throws { turn.show(draft.parts, from: evidence) }
}
