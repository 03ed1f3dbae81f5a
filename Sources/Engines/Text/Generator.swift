import Core
import Foundation
import Inference
import Synchronization
import Workers

/// Limits of the answer in progress; `adjust` changes them from the reader thread.
final class LiveLimits: Sendable {
  private let values = Mutex(GenerateAdjustment())

  func begin(_ request: GenerateRequest) {
    values.withLock { ($0.pauseMs, $0.maximumTokens) = (request.pauseMs, request.maximumTokens) }
  }

  func apply(_ change: GenerateAdjustment) {
    values.withLock {
      if let pause = change.pauseMs { $0.pauseMs = pause }
      if let maximum = change.maximumTokens { $0.maximumTokens = maximum }
      if let threads = change.threads { $0.threads = threads }
    }
  }

  var pauseMs: Int { values.withLock { $0.pauseMs ?? 0 } }
  var maximumTokens: Int { values.withLock { $0.maximumTokens ?? 0 } }
  var threads: Int { values.withLock { $0.threads ?? 0 } }
}

/// One answer, from prompt to last token.
struct Generator {
  let conversation: HeldConversation
  let builder: PromptBuilder
  let limits: LiveLimits
  let cancelled: CancelFlag

  private var context: LlamaContext { conversation.context }

  /// What the device may give of the context that is loaded.
  private func contextTokens(_ request: GenerateRequest) -> Int {
    min(context.contextTokens, max(request.contextTokens ?? .max, 256))
  }

  func run(_ request: GenerateRequest, _ reply: some ReplySink) throws {
    guard request.maximumTokens > 0 else { throw EngineError.badRequest("maximumTokens must be at least 1.") }
    let clock = ContinuousClock()
    let began = clock.now
    let contextTokens = contextTokens(request)
    let prompt = try builder.prompt(for: request, contextTokens: contextTokens, cancelled: cancelled)
    guard !prompt.tokens.isEmpty else { throw EngineError.badRequest("The prompt is empty.") }
    let tools = try builder.tools(of: request.input, cancelled: cancelled)
    let grammar =
      try tools?.grammar ?? request.grammar
      ?? request.schema.map { try ChatTemplate.grammar(schema: $0, cancelled: cancelled) }
    let sampler = try TokenSampler(builder.vocabulary, request.sampling, grammar: grammar, cancelled: cancelled)

    let begun = request.begun?.tokens ?? []
    guard begun.allSatisfy({ (0..<Int32(builder.vocabulary.size)).contains($0) }) else {
      throw EngineError.badRequest("The answer begins with tokens that this model does not have.")
    }
    context.limit(threads: limits.threads)
    let (reused, outcome) = try conversation.evaluate(prompt.tokens + begun, cancelled: cancelled) {
      try reply.event(GenerateEvent.reading($0))
    }
    var promptReport = PromptReport()
    promptReport.promptTokens = prompt.tokens.count
    promptReport.reusedTokens = reused
    promptReport.droppedMessages = prompt.droppedMessages
    promptReport.toolForm = tools?.form
    try reply.event(GenerateEvent.prompt(promptReport))

    var answer = Answer(
      sampler: sampler, request: request, vocabulary: builder.vocabulary, limits: limits, thoughts: prompt.thoughts)
    let hasEnded = try answer.adopt(begun, reply)
    let evaluated = clock.now
    answer.report.promptMs = (evaluated - began).milliseconds
    let first = try hasEnded ? nil : answer.take(outcome, reply)
    answer.report.firstTokenMs = (clock.now - began).milliseconds

    var lookup = Lookup(cost: conversation.draftCost)
    defer { conversation.draftCost = lookup.cost }
    let drafts = request.speculate && !context.model.isRecurrent && request.sampling.bias == nil
    try write(from: first, into: &answer, with: &lookup, drafts: drafts, contextTokens: contextTokens, reply)
    answer.report.generateMs = (clock.now - evaluated).milliseconds
    answer.report.draftedTokens = lookup.drafted
    answer.report.acceptedTokens = lookup.accepted
    try answer.finish(reply)
  }

  /// Token after token, with drafts of what may follow where they are worth it, until the answer ends.
  private func write(
    from first: TokenID?, into answer: inout Answer, with lookup: inout Lookup, drafts: Bool, contextTokens: Int,
    _ reply: some ReplySink
  ) throws {
    var chosen = first
    while let token = chosen {
      try pause()
      let room = min(
        contextTokens - conversation.tokens.count - 1, answer.tokensLeft - 1, context.batchTokens - 1)
      guard room >= 0 else {
        answer.report.finish = answer.tokensLeft <= 0 ? .length : .context
        break
      }
      let draft = drafts ? Array(lookup.draft(after: conversation.tokens + [token], room: room)) : []
      let start = conversation.tokens.count
      context.limit(threads: limits.threads)
      let began = ContinuousClock.now
      try conversation.append([token] + draft, wantAll: !draft.isEmpty, cancelled: cancelled)
      let took = began.msUntilNow

      // Each drafted token stands only where the model's own choice is the same; the first other choice replaces it.
      var right = 0
      var alone = false
      chosen = try answer.take(settled(at: 0, of: [token] + draft, from: start, &alone), reply)
      while !alone, right < draft.count, chosen == draft[right] {
        right += 1
        chosen = try answer.take(settled(at: right, of: [token] + draft, from: start, &alone), reply)
      }
      if drafts { lookup.learn(drafted: draft.count, accepted: right, milliseconds: took) }
      if !alone, right < draft.count { conversation.cut(to: start + 1 + right) }
    }
  }

  /// What follows a token of a batch that begins at `start`. A batch rounds a little otherwise than a lone token, so where
  /// two choices are nearly as likely the token is evaluated again alone, and drafts never change what a greedy answer says.
  private func settled(at index: Int, of batch: [TokenID], from start: Int, _ alone: inout Bool) throws
    -> UnsafeMutableBufferPointer<Float>
  {
    let logits = try context.logits(at: index)
    guard batch.count > 1, logits.hasNearTie else { return logits }
    alone = true
    conversation.cut(to: start + index)
    try conversation.append([batch[index]], wantAll: false, cancelled: cancelled)
    return try context.logits(at: 0)
  }

  /// Waits between tokens for a warm device, and wakes at once when the answer is no longer wanted.
  private func pause() throws {
    var left = limits.pauseMs
    while left > 0 {
      if cancelled.isSet { throw CancellationError() }
      usleep(UInt32(min(left, 10)) * 1000)
      left = min(left, limits.pauseMs) - 10
    }
  }
}

/// The growing text of one answer and why it ended.
private struct Answer {
  let sampler: TokenSampler
  let vocabulary: Tokeniser
  let limits: LiveLimits
  let logprobs: Int
  /// Whoever reads this could go on later, or elsewhere.
  let tellsTokens: Bool
  /// Of what is told first so many bytes were told before.
  private var told: GenerateRequest.Begun
  var stream: TextStream
  var thoughts: Thoughts?
  var report = GenerateReport()

  init(
    sampler: TokenSampler, request: GenerateRequest, vocabulary: Tokeniser, limits: LiveLimits, thoughts: Thoughts?
  ) {
    self.thoughts = thoughts
    tellsTokens = request.tellsTokens
    told = request.begun ?? GenerateRequest.Begun()
    self.sampler = sampler
    self.vocabulary = vocabulary
    self.limits = limits
    logprobs = request.logprobs
    stream = TextStream(stops: request.stop)
  }

  var tokensLeft: Int { limits.maximumTokens - report.generatedTokens }

  /// Takes over what was chosen before; true where the answer ends with it.
  mutating func adopt(_ tokens: [TokenID], _ reply: some ReplySink) throws -> Bool {
    try sampler.adopt(tokens)
    for token in tokens where try add(token, reply) == nil { return true }
    return false
  }

  /// Chooses from an outcome and sends what can be shown; nil ends the answer.
  mutating func take(_ logits: UnsafeMutableBufferPointer<Float>, _ reply: some ReplySink) throws -> TokenID? {
    let token: TokenID?
    if logprobs > 0, let (chosen, entry) = sampler.nextWithLogprobs(logits, top: logprobs) {
      token = chosen
      if !vocabulary.endsAnswer(chosen) { try reply.event(GenerateEvent.logprobs(entry)) }
    } else {
      token = sampler.next(logits)
    }
    guard let token, !vocabulary.endsAnswer(token) else {
      report.finish = .end
      return nil
    }
    if tellsTokens { try reply.event(GenerateEvent.token(token)) }
    return try add(token, reply)
  }

  /// Sends what can be shown of a token that was chosen; nil ends the answer.
  private mutating func add(_ token: TokenID, _ reply: some ReplySink) throws -> TokenID? {
    report.generatedTokens += 1
    if thoughts?.isThinking == true { report.thoughtTokens += 1 }
    try send(stream.push(vocabulary.bytes(of: token)), reply)
    if let stop = stream.stop {
      (report.finish, report.stop) = (.stop, stop)
      return nil
    }
    if tokensLeft <= 0 {
      report.finish = .length
      return nil
    }
    return token
  }

  mutating func finish(_ reply: some ReplySink) throws {
    try send(stream.finish(), reply)
    if let rest = thoughts?.finish() { try tell(rest, reply) }
    try reply.event(GenerateEvent.done(report))
  }

  private mutating func send(_ bytes: [UInt8], _ reply: some ReplySink) throws {
    try tell(thoughts?.read(bytes) ?? ([], bytes), reply)
  }

  private mutating func tell(_ all: (thought: [UInt8], answer: [UInt8]), _ reply: some ReplySink) throws {
    let text = (
      thought: Self.untold(all.thought, &told.thoughtBytes), answer: Self.untold(all.answer, &told.answerBytes)
    )
    if !text.thought.isEmpty { try reply.event(GenerateEvent.thought(String(decoding: text.thought, as: UTF8.self))) }
    if !text.answer.isEmpty { try text.answer.withUnsafeBytes { try reply.bytes($0) } }
  }

  private static func untold(_ text: [UInt8], _ told: inout Int) -> [UInt8] {
    let count = min(text.count, told)
    told -= count
    return Array(text.dropFirst(count))
  }
}
