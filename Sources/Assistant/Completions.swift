import Core
package import Inference
import Models
import Resources

/// A pack's own words and vectors, without conversation or documents: what other programs ask for through the API.
package struct Completions: Sendable {
  package let house: House

  package init(_ house: House) { self.house = house }

  package func generate(_ request: GenerateRequest, model: String) -> AsyncThrowingStream<GenerationEvent, any Error> {
    streaming { emit in try await house.departure.answering { try await generate(request, model, emit) } }
  }

  private func generate(_ request: GenerateRequest, _ id: String, _ emit: @escaping Emit<GenerationEvent>) async throws
  {
    let limits = await house.governor.limits(.fast)
    guard limits.heavyInference.value else {
      throw AssistantError.heavyInferenceRefused(limits.heavyInference.reason)
    }
    guard try await house.allowance.left(house.settings.tier) != 0 else {
      try await house.tellIfGated()
      throw AssistantError.allowanceSpent
    }
    let status = try house.chatPack(asked: id, preference: .fastest)
    let model = try await house.models.model(status, limits: limits)
    var request = Self.opened(request)
    request.pauseMs = max(request.pauseMs, limits.pauseMs.value)
    let cores = await model.info?.threads ?? 1
    var (answer, isWhole) = ("", false)
    let events = model.generate(request) { [house] in
      try await house.models.computing("an answer", on: id, .person, cores: cores, $0)
    }
    for try await event in events {
      emit(event)
      switch event {
      case .piece(let piece): answer += piece
      case .done(let report): isWhole = report.finish == .end
      default: break
      }
    }
    try Task.checkCancellation()
    await house.counted()
    if isWhole { await house.models.readAhead(request, answer: answer, with: model, of: id, keeping: nil) }
  }

  /// The smallest packs lose the thread under a longer system message, and under that of their own templates.
  private static func opened(_ request: GenerateRequest) -> GenerateRequest {
    guard case .chat(let messages, let tools) = request.input, !messages.contains(where: { $0.role == .system }) else {
      return request
    }
    var request = request
    request.input = .chat([Message(.system, trusted: "You are a helpful assistant.")] + messages, tools: tools)
    return request
  }

  /// The chat pack that is set, or else the best one for quick answers.
  package func usual() throws -> String { try house.chatPack(asked: nil, preference: .fastest).pack.id }

  /// How many tokens a prompt has, as `generate` would read it.
  package func count(_ request: GenerateRequest, model: String) async throws -> Int {
    let loaded = try await loaded(model)
    return try await house.models.computing("tokens for a program", on: model, .voice, cores: 1) {
      try await loaded.countTokens(of: Self.opened(request))
    }
  }

  package func embed(_ input: EmbedInput, model id: String, long: EmbedRequest.Long) async throws -> (
    vectors: [[Float]], report: EmbedReport
  ) {
    let model = try await loaded(id)
    let cores = await model.info?.threads ?? 1
    var (vectors, report) = ([[Float]](), EmbedReport())
    // In portions, each in a turn of its own: what was made already is not made again where the person goes first.
    for start in stride(from: 0, to: input.count, by: Self.portion) {
      let portion = input[start..<min(start + Self.portion, input.count)]
      let found = try await house.models.computing("vectors for a program", on: id, .voice, cores: cores) {
        try await model.embed(portion, long: long)
      }
      vectors += (0..<found.count).map { Array(found[$0]) }
      report.add(found.report)
    }
    return (vectors, report)
  }

  private static let portion = 32

  package func load(_ model: String) async throws { _ = try await loaded(model) }

  /// A program has no more use for a pack; whoever else is at work with it keeps it.
  package func unload(_ model: String) async {
    if await house.governor.isLoaded(model), await !house.governor.isUsed(model) { await house.models.unload(model) }
  }

  private func loaded(_ id: String) async throws -> TextModel {
    let status = try house.packs.status(of: id)
    guard status.installed != nil else { throw PackError.notInstalled(id) }
    return try await house.models.model(status, limits: house.governor.limits(.fast))
  }
}
