import Core
import Foundation
import Inference
import Models
import Resources
import Storage
import Workers

/// The part of a turn in which a model writes.
extension Turn {
  func write(
    with status: PackStatus, _ limits: Limits, _ history: [Prompt.Turn], _ found: Evidence,
    _ unfinished: AnswerRecord
  ) async throws {
    let (emit, house) = (emit, house)
    var (record, evidence) = (unfinished, found)
    let (wasLoaded, loading) = (await house.governor.isLoaded(status.pack.id), ContinuousClock.now)
    let model = try await house.model(status, limits: limits) {
      emit(Ask.Event(notice: $0))
    } progress: {
      emit(Ask.Event(loading: $0))
    }
    if !wasLoaded { record.timings.loadMs = loading.msUntilNow }
    if !evidence.items.isEmpty {
      let counts = try await model.countTokens(evidence.items.map(\.citation.text))
      evidence.fit(limits.evidenceTokens.value, counts: counts, reason: limits.evidenceTokens.reason)
      record.dropped += evidence.notes.dropFirst(found.notes.count)
    }
    let turn = Prompt.Turn(
      evidence: evidence.items.map { Prompt.Evidence(label: $0.citation.label, text: $0.citation.text) },
      question: input.question)
    let request = request(
      Prompt(mode: record.mode, turns: history + [turn]), limits, isGrounded: !evidence.items.isEmpty)

    let governing = Governing(
      limits, mode: record.mode, promptSpeed: await house.promptSpeed(asked: input.pack), notes: record.limits,
      began: began)
    let governor = Task { await governing.run(model, in: house, emit: emit) }
    defer { governor.cancel() }
    let items = evidence.items
    let cores = await model.info?.threads ?? 1
    let energy = EnergyMeter(house.governor)
    let written = try await house.computing("an answer", on: status.pack.id, .person, cores: cores) { [began] in
      try await collect(model.generate(request), Tying(items), began: began, governing.progress)
    }
    record.limits = await governing.notes
    let changes = await governing.changes
    record.changes = changes.isEmpty ? nil : changes
    record.answer = written.text
    record.stopped = written.stopped
    written.fill(&record.timings)
    record.timings.tokensPerJoule = await energy.tokensPerJoule(record.timings.generatedTokens, house.governor)
    if let failure = written.failure {
      let reason = await house.failing(status.pack.id, failure) ?? RemoteError(failure).message
      record.dropped.append(DropNote(what: "the rest of the answer", reason: reason))
    } else if !written.stopped {
      await house.counted()
    }
    if let speed = written.promptSpeed { try await house.measured(promptSpeed: speed, of: status.pack.id) }
    if written.dropped > 0 {
      record.dropped.append(
        DropNote(
          what: "the \(written.dropped) oldest messages of this conversation",
          reason: "the model's context of \(await model.info?.contextTokens ?? 0) tokens is full"))
    }
    if written.cutShort {
      record.dropped.append(
        DropNote(what: "the rest of the answer", reason: await governing.cutReason(request.maximumTokens)))
    }
    if written.repeated {
      record.dropped.append(DropNote(what: "the rest of the answer", reason: "it began to repeat itself"))
    }
    if !items.isEmpty {
      // A task of its own: a stopped answer is tied and kept like any other.
      (record.sentences, record.citations) = try await Task { [tying = written.tying] in
        try await tying.finish(Citing(shelf: house.vault.documents))
      }.value
      if !written.tying.anySupported, !written.stopped { try await replace(&record, items) }
    }
    try await keep(turn, record)
  }

  private func request(_ prompt: Prompt, _ limits: Limits, isGrounded: Bool) -> GenerateRequest {
    var request = GenerateRequest(.chat(prompt.messages))
    request.maximumTokens = limits.generationTokens.value
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

  /// Not one sentence of the answer is in the documents: what they say stands in its place, and the record says so.
  private func replace(_ record: inout AnswerRecord, _ items: [Evidence.Item]) async throws {
    let quoted = Extractive.sentences(
      for: record.completedQuestion, from: items, atMost: record.mode == .deep ? 4 : 2)
    guard !quoted.isEmpty else { return }
    var tying = Tying(items)
    for sentence in quoted { _ = tying.add(sentence) }
    record.dropped.append(
      DropNote(what: "what the model wrote", reason: "no sentence of it is in your documents; they are quoted instead"))
    record.answer = quoted.joined(separator: " ")
    record.provider = ProviderKind.extractive.rawValue
    (record.sentences, record.citations) = try await tying.finish(Citing(shelf: house.vault.documents))
    emit(Ask.Event(replaced: record.answer))
  }

  // MARK: Streaming

  private struct Written: Sendable {
    var text = ""
    var stopped = false
    var cutShort = false
    var repeated = false
    /// What ended the worker while it wrote.
    var failure: (any Error)?
    var dropped = 0
    var firstTokenMs: Double?
    var prompt = PromptReport()
    var report: GenerateReport?
    var tying: Tying

    func fill(_ timings: inout AnswerRecord.Timings) {
      timings.firstTokenMs = firstTokenMs
      timings.promptTokens = prompt.promptTokens
      timings.reusedTokens = prompt.reusedTokens
      timings.generatedTokens = report?.generatedTokens ?? 0
      timings.tokensPerSecond = report?.tokensPerSecond
    }

    /// Tokens per second of reading, once enough was read to go by.
    var promptSpeed: Double? {
      let read = prompt.promptTokens - prompt.reusedTokens
      guard let report, read >= 64, report.promptMs > 0 else { return nil }
      return Double(read) / report.promptMs * 1000
    }
  }

  /// Streams pieces and settled sentences on. A stop by the person is no error: what was written until then is the answer.
  private func collect(
    _ events: AsyncThrowingStream<GenerationEvent, any Error>, _ tying: Tying, began: ContinuousClock.Instant,
    _ progress: Governing.Progress
  ) async throws -> Written {
    var written = Written(tying: tying)
    var settled = SettledSentences()
    var seen: Set<String> = []
    /// False once a sentence comes a second time: a small pack that begins to repeat itself does not find out again.
    func settle(_ sentences: [SettledSentences.Sentence]) -> Bool {
      for sentence in sentences {
        guard sentence.text.utf8.count < 24 || seen.insert(sentence.text).inserted else {
          written.repeated = true
          written.text = String(decoding: written.text.utf8.prefix(sentence.start), as: UTF8.self)
          return false
        }
        if !tying.evidence.isEmpty { emit(Ask.Event(sentence: written.tying.add(sentence.text))) }
      }
      return true
    }
    do {
      writing: for try await event in events {
        switch event {
        case .prompt(let report):
          written.prompt = report
          written.dropped = report.droppedMessages
        case .piece(let piece):
          if written.text.isEmpty { written.firstTokenMs = began.msUntilNow }
          written.text += piece
          progress.wrote()
          emit(Ask.Event(piece: piece))
          if !settle(settled.add(piece)) { break writing }
        case .logprobs: break
        case .done(let report):
          written.report = report
          written.cutShort = report.finish == .length || report.finish == .context
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
    if !written.repeated { _ = settle(settled.end()) }
    return written
  }
}

extension Citation {
  /// How the evidence is called in the prompt.
  var label: String { page.map { "\(title), page \($0)" } ?? title }
}
