import Core
import Foundation
import Inference
import Models
import Resources
import Retrieval
import Storage
import Workers

/// The part of a turn in which a model writes.
extension Turn {
  func write(
    with status: PackStatus, _ limits: Limits, _ history: [Prompt.Turn], _ found: Evidence,
    _ unfinished: AnswerRecord
  ) async throws {
    let (emit, house) = (emit, house)
    var record = unfinished
    let (wasLoaded, loading) = (await house.governor.isLoaded(status.pack.id), ContinuousClock.now)
    let model = try await house.model(status, limits: limits) {
      emit(Ask.Event(notice: $0))
    } progress: {
      emit(Ask.Event(loading: $0))
    }
    if !wasLoaded { record.timings.loadMs = loading.msUntilNow }
    phases.end(wasLoaded ? "prepare" : "load the pack")
    let gate = Gate(found, isStrict: status.pack.parameters < Gate.ownWords)
    let shown = try await shown(found, to: model, limits, &record, narrowly: gate.isStrict)
    let turn = Prompt.Turn(evidence: shown, question: input.question)
    let request = request(Prompt(mode: record.mode, turns: history + [turn]), limits, gate, isGrounded: !shown.isEmpty)

    let governing = Governing(
      limits, mode: record.mode, promptSpeed: await house.promptSpeed(asked: input.pack), notes: record.limits,
      began: began)
    let governor = Task { await governing.run(model, in: house, emit: emit) }
    defer { governor.cancel() }
    let cores = await model.info?.threads ?? 1
    let energy = EnergyMeter(house.governor)
    let written = try await house.computing("an answer", on: status.pack.id, .person, cores: cores) {
      try await collect(model.generate(request), Tying(found), gate, governing.progress)
    }
    phases.end("write")
    record.limits = await governing.notes
    let changes = await governing.changes
    record.changes = changes.isEmpty ? nil : changes
    record.answer = written.text
    record.stopped = written.stopped
    written.fill(&record.timings)
    record.timings.tokensPerJoule = await energy.tokensPerJoule(record.timings.generatedTokens, house.governor)
    if let failure = written.failure {
      let reason = await house.failing(status.pack.id, failure) ?? RemoteError(failure).message
      record.dropped.append(DropNote(what: DropNote.rest, reason: reason))
    } else if !written.stopped {
      await house.counted()
    }
    record.dropped += written.notes(
      contextTokens: await model.info?.contextTokens ?? 0, cut: await governing.cutReason(request.maximumTokens),
      isComposed: gate.isStrict)
    if let speed = written.promptSpeed { try await house.measured(promptSpeed: speed, of: status.pack.id) }
    if !found.items.isEmpty {
      // A task of its own: a stopped answer is tied and kept like any other.
      record = try await Task { [record] in
        try await checked(record, written, found, gate, model)
      }.value
      phases.end("check against the evidence")
    }
    try await keep(turn, record)
    if input.conversation != nil, !record.stopped {
      await house.readAhead(request, answer: record.answer, with: model, of: status.pack.id)
    }
  }

  /// The evidence as the model is shown it, within the budget of tokens; what was left out is noted.
  private func shown(
    _ found: Evidence, to model: TextModel, _ limits: Limits, _ record: inout AnswerRecord, narrowly: Bool
  ) async throws -> [Prompt.Evidence] {
    guard !found.items.isEmpty else { return [] }
    let (budget, nearest) = (limits.evidenceTokens, narrowly ? found.nearest : [])
    let texts = narrowly ? nearest.map { found.keys.candidates[$0].text } : found.whole.map(\.text)
    let kept = Evidence.fitting(try await model.countTokens(texts), budget.value)
    if kept.count < texts.count {
      let count = texts.count - kept.count
      record.dropped.append(
        DropNote(what: narrowly ? Words.sentences(count) : Words.passages(count), reason: budget.reason))
    }
    guard narrowly else { return kept.map { found.whole[$0] } }
    let far = found.items.count - Set(nearest.map { found.keys.candidates[$0].passage }).count
    if far > 0 {
      record.dropped.append(
        DropNote(
          what: Words.passages(far),
          reason: "a pack of this size is shown only what stands around the nearest sentences")
      )
    }
    return found.shown(kept.map { nearest[$0] })
  }

  private func request(_ prompt: Prompt, _ limits: Limits, _ gate: Gate, isGrounded: Bool) -> GenerateRequest {
    var request = GenerateRequest(.chat(prompt.messages))
    request.maximumTokens = limits.generationTokens.value
    if gate.isStrict { request.maximumTokens = min(request.maximumTokens, prompt.mode == .deep ? 160 : 80) }
    request.pauseMs = limits.pauseMs.value
    request.contextTokens = limits.contextTokens.value
    request.overflow = .dropOldest
    if !isGrounded {
      // Talk has nothing to copy from: a little variety keeps small packs out of loops. With evidence the likeliest word
      // counts.
      request.sampling.temperature = 0.2
      request.sampling.topP = 0.9
      request.sampling.repeatPenalty = 1.1
    }
    return request
  }

  // MARK: Checking

  /// The answer as it stands once every sentence was checked: kept, replaced or marked.
  private func checked(
    _ unfinished: AnswerRecord, _ written: Written, _ found: Evidence, _ gate: Gate, _ model: TextModel
  ) async throws -> AnswerRecord {
    var record = unfinished
    let quotes = Quoting.quotes(from: found.keys, for: found.sought, record.mode == .deep ? .deep : .fast)
    var parts = written.sentences.map(AnswerPart.written)
    if !written.stopped {
      if record.mode == .deep, !gate.isStrict {
        parts = try await repaired(parts, quotes, found, model, &record)
      }
      let kept = parts.compactMap(\.checked)
      if !kept.contains(where: { $0.verdict != nil }) {
        // A pack that can read found nothing, and little spoke for an answer from the beginning: there is none.
        if !gate.isStrict, (record.confidence ?? 1) < Abstention.sureWithoutWords {
          return withheld(record, written, found)
        }
        // Not one sentence is in the documents: what they say stands in its place, and stands there whole.
        if !quotes.isEmpty {
          record.dropped.removeAll { $0.what == DropNote.rest }
          parts = quotes.map(AnswerPart.quoted)
          record.provider = ProviderKind.extractive.rawValue
          record.dropped.append(
            DropNote(
              what: "what the model wrote", reason: "no sentence of it is in your documents; they are quoted instead"))
        }
      } else if gate.isStrict {
        parts += Composition.missing(kept, quotes).map(AnswerPart.quoted)
      }
    }
    let answer = AnswerPart.text(of: parts)
    if gate.isStrict || parts != written.sentences.map(AnswerPart.written) {
      if answer != written.text {
        // What a person has already read is only added to, where that is possible.
        if answer.hasPrefix(written.shown), !written.shown.isEmpty {
          emit(Ask.Event(piece: String(answer.dropFirst(written.shown.count))))
        } else if written.shown.isEmpty {
          emit(Ask.Event(piece: answer))
        } else {
          emit(Ask.Event(replaced: answer))
        }
      }
      record.answer = answer
      if record.timings.firstTokenMs == nil { record.timings.firstTokenMs = began.msUntilNow }
    }
    var tying = Tying(found)
    for part in parts {
      switch part {
      case .written(let sentence): tying.keep(sentence)
      case .quoted(let quote): tying.keep(quote)
      }
    }
    (record.sentences, record.citations) = try await tying.finish(Citing(shelf: house.vault.documents))
    return record
  }

  private func withheld(_ unfinished: AnswerRecord, _ written: Written, _ found: Evidence) -> AnswerRecord {
    var record = unfinished
    (record.abstained, record.provider) = (true, ProviderKind.templates.rawValue)
    record.dropped.append(
      DropNote(
        what: "what the model wrote", reason: "no sentence of it is in your documents, and little in them is near"))
    record.answer = Abstaining.answer(found)
    record.citations = found.items.prefix(3).map(\.citation)
    emit(written.shown.isEmpty ? Ask.Event(piece: record.answer) : Ask.Event(replaced: record.answer))
    return record
  }

  /// Deep: a sentence that nothing carries is written once more, from the passage next to it alone, or gives way to a quotation.
  private func repaired(
    _ parts: [AnswerPart], _ quotes: [Quote], _ found: Evidence, _ model: TextModel, _ record: inout AnswerRecord
  ) async throws -> [AnswerPart] {
    let tying = Tying(found)
    var repaired: [AnswerPart] = []
    var (again, quoted, gone) = (0, 0, 0)
    for part in parts {
      guard let sentence = part.checked, sentence.isUnsupported else {
        repaired.append(part)
        continue
      }
      if again + quoted + gone < Self.repairs, let better = try await rewritten(sentence, found, tying, model) {
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
      record.dropped.append(DropNote(what: "\(Words.sentences(count)) that \(what)", reason: reason))
    }
    return repaired
  }

  /// How many sentences of one answer are written again at most.
  private static let repairs = 4

  private func rewritten(
    _ sentence: Tying.Checked, _ found: Evidence, _ tying: Tying, _ model: TextModel
  ) async throws -> Tying.Checked? {
    guard case .unsupported(_, let nearest) = sentence.result else { return nil }
    let item = found.items[nearest?.candidate ?? 0]
    let prompt = Prompt.repair(
      sentence.text, of: input.question, from: Prompt.Evidence(label: item.citation.label, text: item.citation.text))
    var request = GenerateRequest(.chat(prompt))
    request.maximumTokens = 96
    var text = ""
    for try await event in model.generate(request) { if case .piece(let piece) = event { text += piece } }
    guard let first = Sentences.split(text).first else { return nil }
    let checked = tying.check(first)
    return checked.verdict == nil ? nil : checked
  }

  // MARK: Streaming

  /// Streams pieces and settled sentences on. A stop by the person is no error: what was written until then is the answer.
  /// Where the gate is strict a sentence is shown once it has passed, so that nothing shown is ever taken back; elsewhere the
  /// first that rests on the evidence opens the stream.
  func collect(
    _ events: AsyncThrowingStream<GenerationEvent, any Error>, _ tying: Tying, _ gate: Gate,
    _ progress: Governing.Progress? = nil
  ) async throws -> Written {
    var written = Written()
    var settled = SettledSentences()
    var seen: Set<String> = []
    /// False once a sentence comes a second time: a small pack that begins to repeat itself does not find out again.
    func settle(_ sentences: [SettledSentences.Sentence]) async throws -> Bool {
      for sentence in sentences {
        guard sentence.text.utf8.count < 24 || seen.insert(sentence.text).inserted else {
          written.repeated = true
          written.text = String(decoding: written.text.utf8.prefix(sentence.start), as: UTF8.self)
          return false
        }
        guard !tying.evidence.isEmpty else { continue }
        let checked = try await meaning(of: tying.check(sentence.text), tying)
        guard gate.passes(checked, isFirst: written.sentences.isEmpty) else {
          written.refused += 1
          continue
        }
        written.sentences.append(checked)
        emit(Ask.Event(sentence: Tying.shown(checked)))
        if gate.isStrict { show((written.shown.isEmpty ? "" : " ") + checked.text) }
      }
      return true
    }
    func show(_ piece: String) {
      guard !piece.isEmpty else { return }
      if written.shown.isEmpty { written.firstTokenMs = began.msUntilNow }
      written.shown += piece
      emit(Ask.Event(piece: piece))
    }
    /// What is made up altogether is never seen: a larger pack's words stream as soon as one sentence rests on the evidence.
    func stream() {
      guard !gate.isStrict else { return }
      if tying.evidence.isEmpty || written.sentences.contains(where: { $0.verdict != nil }) {
        show(String(decoding: written.text.utf8.dropFirst(written.shown.utf8.count), as: UTF8.self))
      }
    }
    do {
      writing: for try await event in events {
        switch event {
        case .prompt(let report): written.prompt = report
        case .piece(let piece):
          if written.text.isEmpty { phases.end("read the prompt") }
          written.text += piece
          progress?.wrote()
          if try await !settle(settled.add(piece)) { break writing }
          stream()
        case .logprobs: break
        case .done(let report):
          written.report = report
          written.stopped = report.finish == .cancelled
        }
      }
      if Task.isCancelled { written.stopped = true }
    } catch is CancellationError {
      written.stopped = true
    } catch let error as WorkerError where !written.text.isEmpty {
      // What was written is kept; the record says why there is no more.
      written.failure = error
    }
    if !written.repeated, !(written.cutShort && gate.isStrict) { _ = try await settle(settled.end()) }
    if !written.repeated { stream() }
    if written.stopped { written.text = written.shown }
    return written
  }

  /// Looks at the meaning too where the words alone carry nothing.
  private func meaning(of checked: Tying.Checked, _ tying: Tying) async throws -> Tying.Checked {
    guard case .unsupported(.nothingSimilar, _) = checked.result, !Task.isCancelled,
      let vector = try await house.finder().vectors(of: [checked.text])?.first
    else { return checked }
    return tying.check(checked.text, vector: vector)
  }
}

extension Citation {
  /// How the evidence is called in the prompt.
  var label: String { page.map { "\(title), page \($0)" } ?? title }
}
