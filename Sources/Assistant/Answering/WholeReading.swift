import Core
import Foundation
import Inference
import Models
import Resources
import Retrieval
import Storage

/// Turns that work through a document as a whole: every section is read, what each says most plainly is kept (map), and what
/// was kept becomes one answer in the document's order (merge), which a larger pack also says in a few sentences. Each point is
/// cited.
extension Turn {
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

  /// More text than this is not read in one turn; what was left is named.
  private static let longestText = 4_000_000
  private static let mostDocuments = 8

  func workThrough(
    _ unfinished: AnswerRecord, _ limits: Limits, _ history: [Prompt.Turn]
  ) async throws {
    var record = unfinished
    let library = try await house.vault.documents.list(collection: input.collection).filter { $0.state != .failed }
    let chosen = WholeReading.chosen(for: input.question, of: library, after: history)
    guard !chosen.documents.isEmpty else {
      record.provider = ProviderKind.templates.rawValue
      (record.abstained, record.retrievalUsed) = (true, true)
      return try await conclude(
        Prompt.Turn(question: input.question), "There is no document to work through. Import one first.", record)
    }
    if chosen.isGuess {
      record.completedQuestion = "\(input.question) — \(chosen.documents.map(\.title).joined(separator: ", "))"
      emit(Ask.Event(completed: record.completedQuestion))
    }
    let isList = WholeReading.isList(input.question)
    let (sections, documents) = try await read(chosen.documents, isList: isList, &record)
    phases.end("read the documents")
    let bounds = Bounds.of(record.mode)
    var points: [Int]
    if isList {
      points = sections.mentions(of: Extraction.shape(of: input.question))
      if points.count > bounds.entries {
        record.dropped.append(
          DropNote(
            what: "\(points.count - bounds.entries) further places",
            reason: "\(bounds.entries) is the most one answer lists"))
        points = Array(points.prefix(bounds.entries))
      }
    } else {
      points = sections.points(atMost: bounds.points)
    }
    let evidence = try await evidence(points, sections, documents)
    record.timings.retrieveMs = began.msUntilNow
    record.timings.firstEvidenceMs = began.msUntilNow
    (record.retrievalUsed, record.passagesConsulted) = (true, sections.chunks.count)
    record.sectionsRead = sections.sections.count
    record.citations = evidence.items.map(\.citation)
    emit(Ask.Event(evidence: record.citations))
    guard !points.isEmpty else {
      (record.provider, record.abstained) = (ProviderKind.templates.rawValue, true)
      let titles = chosen.documents.map(\.title).joined(separator: ", ")
      return try await conclude(
        Prompt.Turn(question: input.question),
        "All of \(titles) was read (\(Words.sections(sections.sections.count))), and nothing of that kind is in it.",
        record)
    }
    let pack = await chatPack(limits)
    let usual = await house.settings.provider
    let choice = ProviderChoice.choose(await chain(pack, limits, evidence), pinned: input.provider ?? usual)
    if choice.provider != .local { try await house.tellIfGated() }
    record.limits += choice.notes
    record.provider = choice.provider.rawValue
    if !record.limits.isEmpty { emit(Ask.Event(limits: record.limits)) }
    var parts = points.indices.map { AnswerPart.quoted(quote($0, points[$0], sections, evidence)) }
    var summary: [Tying.Checked] = []
    // Lists are the documents' own words; a model only phrases what is to be summed up.
    if case .local = choice.provider, case .success(let status) = pack, !isList {
      record.pack = status.pack.id
      let isInTime: Bool
      (parts, isInTime) = try await phrased(
        parts, points, sections, evidence, status, limits, bounds.seconds, &record)
      if status.pack.parameters >= Gate.summaries, isInTime {
        summary = try await merged(parts, evidence, status, limits, &record)
      }
    } else {
      for part in parts { emit(Ask.Event(piece: "- \(part.plain)\n")) }
      if choice.provider == .local { record.provider = ProviderKind.extractive.rawValue }
    }
    phases.end("say its points")
    var tying = Tying(evidence)
    for sentence in summary { tying.keep(sentence) }
    for part in parts {
      switch part {
      case .written(let sentence): tying.keep(sentence)
      case .quoted(let quote): tying.keep(quote)
      }
    }
    for sentence in tying.sentences { emit(Ask.Event(sentence: Tying.shown(sentence))) }
    (record.sentences, record.citations) = try await tying.finish(Citing(shelf: house.vault.documents))
    record.answer = parts.map { "- \($0.plain)" }.joined(separator: "\n")
    if !summary.isEmpty {
      record.answer = summary.map(\.text).joined(separator: " ") + "\n\n" + record.answer
      emit(Ask.Event(replaced: record.answer))
    }
    try await keep(Prompt.Turn(question: input.question), record)
  }

  // MARK: Map

  private func read(
    _ documents: [Storage.Document], isList: Bool, _ record: inout AnswerRecord
  ) async throws -> (Sections, [Int64: Storage.Document]) {
    var chunks: [Chunk] = []
    var bytes = 0
    for document in documents {
      for chunk in try await house.vault.documents.chunks(of: document.id) {
        try Task.checkCancellation()
        bytes += chunk.content.text.utf8.count
        guard bytes <= Self.longestText else {
          record.dropped.append(
            DropNote(
              what: "\(document.title) from page \(chunk.content.pageFrom ?? 1) on",
              reason: "\(Self.longestText / 1_000_000) MB of text is the most one answer reads"))
          break
        }
        chunks.append(chunk)
      }
    }
    let title = documents.count == 1 ? documents[0].title : ""
    let focus = Extraction.focus(
      of: input.question, title: documents.map { $0.title + " " + $0.name }.joined(separator: " "))
    let sections = Sections(chunks, title: title, focus: focus.isEmpty ? nil : Sought(focus))
    return (sections, Dictionary(uniqueKeysWithValues: documents.map { ($0.id, $0) }))
  }

  /// One item of evidence for each point: the chunk it stands in.
  private func evidence(
    _ points: [Int], _ sections: Sections, _ documents: [Int64: Storage.Document]
  ) async throws -> Evidence {
    var evidence = Evidence()
    let citing = Citing(shelf: house.vault.documents)
    for point in points {
      let chunk = sections.chunks[sections.sentences[point].chunk]
      guard let document = documents[chunk.document] else { continue }
      let passage = Passage(
        document: document, heading: chunk.content.heading, text: chunk.content.text, pageFrom: chunk.content.pageFrom,
        pageTo: chunk.content.pageTo, start: chunk.content.start, end: chunk.content.end, relevance: 1,
        scores: StageScores(), chunks: [chunk.id])
      let place = CitationPlace(document: document.id, range: chunk.content.start..<chunk.content.end)
      evidence.items.append(
        Evidence.Item(passage: passage, citation: try await citing.citation(place, of: document, score: 1)))
    }
    return evidence
  }

  private func quote(_ item: Int, _ point: Int, _ sections: Sections, _ evidence: Evidence) -> Quote {
    let sentence = sections.sentences[point]
    return Quote(
      item: item, range: sentence.range,
      sentences: [sentence.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")], breaks: [false])
  }

  // MARK: Merge

  /// Each point in a model's words, from its section's best sentences alone; where they do not rest on the section, its own.
  private func phrased(
    _ quotes: [AnswerPart], _ points: [Int], _ sections: Sections, _ evidence: Evidence, _ status: PackStatus,
    _ limits: Limits, _ seconds: Double, _ record: inout AnswerRecord
  ) async throws -> (parts: [AnswerPart], isInTime: Bool) {
    let model = try await house.model(status, limits: limits) { [emit] in emit(Ask.Event(loading: $0)) }
    let tying = Tying(evidence)
    let writing = ContinuousClock.now
    let cores = await model.info?.threads ?? 1
    var parts: [AnswerPart] = []
    var (late, refused) = (0, 0)
    for (index, part) in quotes.enumerated() {
      try Task.checkCancellation()
      var kept = part
      if writing.msUntilNow > seconds * 1000 {
        late += 1
      } else {
        let item = evidence.items[index]
        let text = WholeReading.extract(of: sections, around: points[index])
        var request = GenerateRequest(
          .chat(Prompt.point(of: Prompt.Evidence(label: item.citation.title, text: text), question: input.question)))
        request.maximumTokens = 64
        request.pauseMs = limits.pauseMs.value
        let written = try await house.computing("a summary", on: status.pack.id, .person, cores: cores) { [request] in
          try await words(model, request)
        }
        if record.timings.firstTokenMs == nil { record.timings.firstTokenMs = began.msUntilNow }
        written.fill(&record.timings)
        if let sentence = Sentences.split(written.text).first, WholeReading.isWhole(sentence) {
          let checked = tying.check(sentence)
          if checked.verdict?.candidate == index, !Instructions.addressesAnswer(sentence) {
            kept = .written(checked)
          } else {
            refused += 1
          }
        } else {
          refused += 1
        }
      }
      parts.append(kept)
      emit(Ask.Event(piece: "- \(kept.plain)\n"))
    }
    await house.counted()
    if refused > 0 {
      record.dropped.append(
        DropNote(
          what: "the model's words for \(Words.sections(refused))",
          reason: "they do not rest on what stands there; it is quoted instead"))
    }
    if late > 0 {
      record.dropped.append(
        DropNote(
          what: "the model's words for \(Words.sections(late))",
          reason: "\(Int(seconds)) s of writing is the most for this mode; they are quoted instead"))
    }
    if !parts.contains(where: { $0.checked != nil }) { record.provider = ProviderKind.extractive.rawValue }
    return (parts, late == 0)
  }

  /// What the points say together, in a few sentences of a pack that can: each rests on a section, or there are none.
  private func merged(
    _ parts: [AnswerPart], _ evidence: Evidence, _ status: PackStatus, _ limits: Limits, _ record: inout AnswerRecord
  ) async throws -> [Tying.Checked] {
    guard parts.count > 2 else { return [] }
    let model = try await house.model(status, limits: limits) { _ in }
    var request = GenerateRequest(.chat(Prompt.merge(parts.map(\.plain), question: input.question)))
    request.maximumTokens = record.mode == .deep ? 200 : 110
    request.pauseMs = limits.pauseMs.value
    let cores = await model.info?.threads ?? 1
    let written = try await house.computing("a summary", on: status.pack.id, .person, cores: cores) { [request] in
      try await words(model, request)
    }
    written.fill(&record.timings)
    let tying = Tying(evidence)
    let sentences = Sentences.split(written.text).filter(WholeReading.isWhole).map { tying.check($0) }
    let kept = WholeReading.kept(sentences)
    let left = sentences.count - kept.count
    if left > 0 {
      record.dropped.append(
        DropNote(
          what: "\(Words.sentences(left)) of what the model said of all points together",
          reason: kept.isEmpty ? "too little of it rests on the document" : "the document does not say it"))
    }
    return kept
  }

  private func words(_ model: TextModel, _ request: GenerateRequest) async throws -> Written {
    var written = Written()
    for try await event in model.generate(request) {
      switch event {
      case .prompt(let report): written.prompt = report
      case .piece(let piece): written.text += piece
      case .logprobs: break
      case .done(let report): written.report = report
      }
    }
    return written
  }
}

/// The decisions of a turn about whole documents.
enum WholeReading {
  struct Choice {
    var documents: [Storage.Document]
    /// Nobody named it; what was taken is shown.
    var isGuess: Bool
  }

  /// The document that is named; else the only one; else the one the conversation is about; else the latest.
  static func chosen(for question: String, of library: [Storage.Document], after history: [Prompt.Turn]) -> Choice {
    let words = Question.words(in: question)
    let text = " " + words.joined(separator: " ") + " "
    let named = library.compactMap { document -> (document: Storage.Document, length: Int)? in
      let names = [document.title, (document.name as NSString).lastPathComponent].flatMap { name -> [String] in
        let short = (name as NSString).deletingPathExtension
        return [name, short].map { Question.words(in: $0).joined(separator: " ") }
      }
      return names.filter { $0.count >= 3 && text.contains(" \($0) ") }.map(\.count).max().map { (document, $0) }
    }
    if let best = named.max(by: { $0.length < $1.length }) { return Choice(documents: [best.document], isGuess: false) }
    if library.count <= 1 { return Choice(documents: library, isGuess: false) }
    if words.contains(where: ["documents", "files", "papers", "dokumente"].contains) {
      return Choice(documents: Array(library.suffix(8)), isGuess: true)
    }
    for turn in history.reversed() {
      for evidence in turn.evidence {
        if let known = library.first(where: {
          evidence.label == $0.title || evidence.label.hasPrefix($0.title + ", page ")
        }) {
          return Choice(documents: [known], isGuess: true)
        }
      }
    }
    return Choice(documents: library.max { $0.updated < $1.updated }.map { [$0] } ?? [], isGuess: true)
  }

  static func isList(_ question: String) -> Bool {
    let words = Question.words(in: question)
    return words.contains { ["list", "extract", "liste", "nenne", "every", "all"].contains($0) }
      && !words.contains {
        ["summarise", "summarize", "summary", "overview", "outline", "about", "points"].contains($0)
      }
  }

  /// The sentences around a point that say most, within a small pack's grasp.
  static func extract(of sections: Sections, around point: Int) -> String {
    let section = sections.sections[sections.section(of: point)]
    let best = section.range.filter { sections.sentences[$0].weight > 0 && $0 != point }
      .sorted { sections.sentences[$0].weight > sections.sentences[$1].weight }.prefix(3)
    return (best + [point]).sorted().map { sections.sentences[$0].text }.joined(separator: " ")
  }

  /// The sentences of a summary that rest on the document; none where most of it does not.
  static func kept(_ sentences: [Tying.Checked]) -> [Tying.Checked] {
    let kept = sentences.filter { $0.verdict != nil && !Instructions.addressesAnswer($0.text) }
    return kept.count * 2 > sentences.count ? kept : []
  }

  static func isWhole(_ sentence: String) -> Bool {
    sentence.split(separator: " ").count >= 5 && sentence.last.map { ".!".contains($0) } ?? false
  }
}

extension AnswerPart {
  /// On one line, as an entry of a list: without a mark of its own.
  var plain: String {
    let text =
      switch self {
      case .written(let sentence): sentence.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      case .quoted(let quote): quote.sentences.joined(separator: " ")
      }
    return String(text.trimmingPrefix(/[-•*–]\s+/))
  }
}
