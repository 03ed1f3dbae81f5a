import Core
import Foundation
import Inference
import Models
import Resources

/// Turns that change a text the person gave, or the answer before: no evidence, and no marks for what no document carries.
extension Turn {
  func transform(
    _ unfinished: AnswerRecord, _ limits: Limits, _ history: [Prompt.Turn]
  ) async throws {
    var record = unfinished
    let wish = Transformation(input.question)
    let turn = Prompt.Turn(question: input.question)
    guard let text = wish.text ?? history.last?.answer else {
      record.provider = ProviderKind.templates.rawValue
      return try await conclude(
        turn, "There is no text to change yet: give it after a colon, in quotation marks or on lines of its own.",
        record)
    }
    let pack = await chatPack(limits)
    let usual = await house.settings.provider
    // Quoting has nothing to quote here; who asks for no model gets what needs none.
    let asked = input.provider ?? usual
    let others = await chain(pack, limits, Evidence()).filter { $0.provider != .extractive }
    let choice = ProviderChoice.choose(others, pinned: asked == .extractive ? .templates : asked)
    record.provider = choice.provider.rawValue
    guard case .local = choice.provider, case .success(let status) = pack else {
      try await house.tellIfGated()
      record.limits += choice.notes
      guard let changed = wish.withoutModel(text) else {
        return try await conclude(turn, Templates.answer(others, evidence: Evidence()), record)
      }
      record.provider = ProviderKind.extractive.rawValue
      return try await conclude(turn, changed, record)
    }
    record.pack = status.pack.id
    record.limits += choice.notes
    if !record.limits.isEmpty { emit(Ask.Event(limits: record.limits)) }
    let model = try await house.model(status, limits: limits) { [emit] in emit(Ask.Event(loading: $0)) }
    phases.end("prepare")
    var request = GenerateRequest(.chat(Prompt.transform(text, wish: wish.wish)))
    request.maximumTokens = limits.generationTokens.value
    request.pauseMs = limits.pauseMs.value
    request.sampling.repeatPenalty = 1.05
    let cores = await model.info?.threads ?? 1
    var written = try await house.computing("a text", on: status.pack.id, .person, cores: cores) { [request] in
      try await collect(model.generate(request), Tying(Evidence()), Gate(Evidence(), isStrict: false))
    }
    phases.end("write")
    if !written.stopped { await house.counted() }
    if written.text.isEmpty { written.firstTokenMs = nil }
    record.answer = written.text.trimmingCharacters(in: .whitespacesAndNewlines)
    record.stopped = written.stopped
    written.fill(&record.timings)
    record.dropped += written.notes(
      contextTokens: await model.info?.contextTokens ?? 0,
      cut: "\(request.maximumTokens) tokens is the most an answer may have now")
    if !written.stopped, !wish.accepts(record.answer, of: text), let plain = wish.withoutModel(text) {
      record.answer = plain
      record.provider = ProviderKind.extractive.rawValue
      record.dropped.append(
        DropNote(what: "what the model wrote", reason: "it is not what was asked for; the text's own words are kept"))
      emit(Ask.Event(replaced: plain))
    }
    try await keep(turn, record)
  }
}
