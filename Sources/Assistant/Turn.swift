import Core
import Foundation
import Inference
import Models
import Resources

/// One turn from question to answer: limits, provider, prompt, stream, record. Every fallback on the way is part of the record.
struct Turn: Sendable {
  let input: Ask.Input
  let house: House
  let emit: @Sendable (Ask.Event) -> Void

  init(_ input: Ask.Input, in house: House, emit: @escaping @Sendable (Ask.Event) -> Void) {
    self.input = input
    self.house = house
    self.emit = emit
  }

  func run() async throws {
    let began = ContinuousClock.now
    let usual = await house.settings.mode
    let wanted = input.mode ?? usual
    let limits = await house.governor.limits(wanted)
    var record = AnswerRecord(
      task: input.task ?? .talk, question: input.question, provider: "", pack: nil, mode: limits.mode.value)
    record.limits = limits.inForce.map { LimitNote(what: $0.what, value: $0.value.text, reason: $0.reason) }

    let pack = await chatPack(limits)
    let choice = ProviderChoice.choose(chain(pack, limits), pinned: input.provider)
    record.limits += choice.notes
    record.provider = choice.provider.rawValue
    if !record.limits.isEmpty { emit(Ask.Event(limits: record.limits)) }

    let turn = Prompt.Turn(question: input.question)
    switch (choice.provider, pack) {
    case (.local, .success(let status)):
      record.pack = status.pack.id
      try await write(turn, with: status, wanted, limits, began, &record)
    default:
      record.answer = Templates.answer(to: input, notes: choice.notes)
      emit(Ask.Event(piece: record.answer))
    }
    record.timings.totalMs = began.msUntilNow
    var told = turn
    told.answer = record.answer
    record.id = try await house.remember(told, record, in: input.conversation)
    emit(Ask.Event(done: record))
  }

  // MARK: Who answers

  private func chatPack(_ limits: Limits) async -> Result<PackStatus, any Error> {
    do {
      return .success(try await house.chatPack(asked: input.pack, preference: limits.preference.value))
    } catch { return .failure(error) }
  }

  private func chain(_ pack: Result<PackStatus, any Error>, _ limits: Limits) -> [Availability] {
    let local: Availability
    switch pack {
    case .failure(let error):
      let remote = RemoteError(error)
      local = Availability(.local, available: false, reason: remote.message, remedy: remote.remedy)
    case .success(let status) where !status.fit.fits:
      local = Availability(.local, available: false, reason: status.fit.reason, remedy: "Choose a smaller pack.")
    case .success where !limits.heavyInference.value:
      local = Availability(.local, available: false, reason: limits.heavyInference.reason, remedy: "Wait a little.")
    case .success(let status):
      local = Availability(.local, available: true, reason: "\(status.pack.name) is ready")
    }
    return [
      Availability(.platform, available: false, reason: "this system has no language model of its own"),
      local,
      Availability(.extractive, available: false, reason: "nothing was found in your documents to quote"),
      Availability(.templates, available: true, reason: "always there"),
    ]
  }

  // MARK: Writing

  private func write(
    _ turn: Prompt.Turn, with status: PackStatus, _ wanted: Mode, _ limits: Limits, _ began: ContinuousClock.Instant,
    _ record: inout AnswerRecord
  ) async throws {
    let emit = emit
    let model = try await house.model(status, limits: limits) { emit(Ask.Event(loading: $0)) }
    let prompt = Prompt(mode: record.mode, turns: await house.turns(of: input.conversation) + [turn])
    var request = GenerateRequest(.chat(prompt.messages))
    request.maximumTokens = limits.generationTokens.value
    request.pauseMs = limits.pauseMs.value
    request.overflow = .dropOldest
    if turn.evidence.isEmpty {
      // Talk has nothing to copy from: a little variety keeps small packs out of loops. With evidence the likeliest word counts.
      request.sampling.temperature = 0.2
      request.sampling.topP = 0.9
      request.sampling.repeatPenalty = 1.1
    }
    let governing = Task { [request] in await govern(model, mode: wanted, as: request) }
    defer { governing.cancel() }
    let collected = try await house.governor.using(status.pack.id) { [request] in
      try await collect(model.generate(request), began: began)
    }
    record.answer = collected.text
    record.stopped = collected.stopped
    record.timings = collected.timings
    if collected.dropped > 0 {
      record.dropped.append(
        DropNote(
          what: "the \(collected.dropped) oldest messages of this conversation",
          reason: "the model's context of \(await model.info?.contextTokens ?? 0) tokens is full"))
    }
    if collected.cutShort {
      record.dropped.append(
        DropNote(
          what: "the rest of the answer", reason: "\(request.maximumTokens) tokens is the most an answer may have now"))
    }
  }

  private struct Collected: Sendable {
    var text = ""
    var stopped = false
    var cutShort = false
    var dropped = 0
    var timings = AnswerRecord.Timings()
  }

  /// Streams the pieces on. A stop by the person is no error: what was written until then is the answer.
  private func collect(
    _ events: AsyncThrowingStream<GenerationEvent, any Error>, began: ContinuousClock.Instant
  ) async throws -> Collected {
    var collected = Collected()
    do {
      for try await event in events {
        switch event {
        case .prompt(let report):
          collected.timings.promptTokens = report.promptTokens
          collected.timings.reusedTokens = report.reusedTokens
          collected.dropped = report.droppedMessages
        case .piece(let piece):
          if collected.text.isEmpty { collected.timings.firstTokenMs = began.msUntilNow }
          collected.text += piece
          emit(Ask.Event(piece: piece))
        case .logprobs: break
        case .done(let report):
          collected.timings.generatedTokens = report.generatedTokens
          collected.timings.tokensPerSecond = report.tokensPerSecond
          collected.cutShort = report.finish == .length || report.finish == .context
          collected.stopped = report.finish == .cancelled
        }
      }
      if Task.isCancelled { collected.stopped = true }
    } catch is CancellationError { collected.stopped = true }
    return collected
  }

  /// Passes the device's changes on to the answer that is being written.
  private func govern(_ model: TextModel, mode: Mode, as request: GenerateRequest) async {
    for await change in await house.governor.changes() {
      guard case .tiers = change else { continue }
      let now = await house.governor.limits(mode)
      emit(
        Ask.Event(limits: now.inForce.map { LimitNote(what: $0.what, value: $0.value.text, reason: $0.reason) }))
      do {
        try await model.adjust(
          GenerateAdjustment(
            pauseMs: now.pauseMs.value, maximumTokens: min(request.maximumTokens, now.generationTokens.value)))
      } catch { return }  // the answer has ended
    }
  }
}

extension ContinuousClock.Instant {
  var msUntilNow: Double { (ContinuousClock.now - self).seconds * 1000 }
}
