import CLlama
import Core
package import Foundation
import Inference
import Models
import Synchronization
package import Workers

/// llama.cpp behind the messages of the Inference room. One model at a time, one call at a time.
package final class TextEngine: Engine {
  private var loaded: Loaded?
  /// Loaded instead, where the pack is one of this kind; for questions with an adapter, where there is one.
  private var sentences: SentenceEncoder?
  private var mapped: MappedQuestions?
  private let limits = LiveLimits()
  private let multipliesItself: Bool

  private struct Loaded {
    var request: LoadRequest
    var conversation: HeldConversation
    var builder: PromptBuilder
    /// Of an embedding model, each with an adapter of its own.
    var reader: LlamaContext?
    var questions: LlamaContext?
    var encoder: Encoder?
    /// Made when it is first wanted.
    var judge: LlamaContext?
    var context: LlamaContext { conversation.context }
  }

  /// `multipliesItself`: false leaves all products to ggml.
  package init(multipliesItself: Bool = true) {
    self.multipliesItself = multipliesItself
    Self.started
  }

  /// Once for all engines of the process.
  private static let started: Void = {
    EngineLog.install()
    llama_backend_init()
  }()

  /// Loads what computes on a graphics card, where it is here. For a process that will seal itself: afterwards no card is asked yet.
  package static func reachesCard() -> Bool { CardPart.load() == nil }

  package func handle(_ call: Call, _ reply: some ReplySink) throws {
    switch call.operation {
    case "card": try reply.event(lookForCard())
    case "load": try load(call, reply)
    case "generate": try generate(body(call), call, reply)
    case "readAhead": try reply.event(readAhead(body(call), call))
    case "tokens": try reply.event(count(body(call), call))
    case "promptTokens": try reply.event(countPrompt(body(call), call))
    case "embed": try embed(body(call), call, reply)
    case "read": try read(body(call), call, reply)
    case "tune": try tune(body(call), call, reply)
    case "score": try reply.event(score(body(call), call))
    case "keep": try reply.event(keep(body(call), call))
    case "takeUp": try reply.event(takeUp(body(call), call))
    case "judge": try reply.event(judge(body(call), call))
    default: throw EngineError.unknownOperation(call.operation)
    }
  }

  package func adjust(_ body: Data) {
    do {
      limits.apply(try JSON.decode(GenerateAdjustment.self, from: body))
    } catch {
      EngineLog.receive("an adjustment could not be read: \(error)", isProblem: true)
    }
  }

  // MARK: Loading

  private func lookForCard() -> CardAnswer {
    switch CardPart.card() {
    case .success(let card): .found(card.report)
    case .failure(let absence): .none("\(absence)")
    }
  }

  private func load(_ call: Call, _ reply: some ReplySink) throws {
    let request: LoadRequest = try body(call)
    guard let descriptor = call.files.first else { throw EngineError.missingFile("the pack's file") }
    let clock = ContinuousClock()
    let began = clock.now
    let file = PackFile(descriptor: descriptor)
    let header = try file.checkHeader()
    let adapters = call.files.dropFirst().map(PackFile.init)
    (loaded, sentences, mapped) = (nil, nil, nil)  // two models at once may not fit
    if SentenceEncoder.reads(header) {
      let threads = request.threads ?? ProcessInfo.processInfo.activeProcessorCount
      let encoder = try SentenceEncoder(file, header, threads: threads, cancelled: call.cancelled)
      let map = zip(request.adapters, adapters).first { use, _ in use == .questions }
      mapped = try map.map { try MappedQuestions(encoder, $0.1) }
      sentences = encoder
      return try reply.event(
        LoadEvent.loaded(encoder.info(header, threads: threads, loadMs: (clock.now - began).milliseconds)))
    }

    let context = try Loader(file: file, header: header, adapters: adapters, request: request)
      .context(cancelled: call.cancelled) { try reply.event(LoadEvent.progress($0)) }
    context.multipliesItself = multipliesItself
    let model = context.model
    let processors = ProcessInfo.processInfo.activeProcessorCount
    let encoder =
      request.embeddings && !model.backend.onCard
      ? Encoder(file, header, vocabulary: model.vocabulary, threads: request.threads ?? processors) : nil
    if request.threads == nil {
      // Texts go to one thread each there, so every core is of use.
      let choice =
        try encoder == nil
        ? ThreadTuning(context: context, cancelled: call.cancelled).choose()
        : ThreadTuning.Choice(generation: processors, batch: processors)
      context.setThreads(generation: choice.generation, batch: choice.batch)
    }
    let builder = PromptBuilder(vocabulary: model.vocabulary, template: model.template(cancelled: call.cancelled))
    loaded = Loaded(
      request: request, conversation: HeldConversation(context), builder: builder,
      reader: try besideDocuments(model, for: .words, window: WordReader.window, request),
      questions: try besideDocuments(model, for: .questions, window: TextEmbedder.questionWindow, request),
      encoder: encoder)
    try reply.event(
      LoadEvent.loaded(
        ModelInfo(
          description: model.description, contextTokens: context.contextTokens,
          trainedContextTokens: model.trainedContextTokens, dimensions: model.dimensions, threads: context.threads,
          backend: model.backend.description,
          loadMs: (clock.now - began).milliseconds, card: model.backend.share)))
  }

  /// A context beside the one for documents, where an embedding model was loaded with this adapter.
  private func besideDocuments(
    _ model: LlamaModel, for use: AdapterUse, window: Int, _ request: LoadRequest
  ) throws -> LlamaContext? {
    guard request.embeddings, model.adapters[use] != nil else { return nil }
    var request = request
    (request.contextTokens, request.batch) = (window, window)
    // So little work is done before a second thread has woken.
    request.threads = 1
    return try LlamaContext(model, request: request, for: use)
  }

  /// Measures other ways to compute and takes up the best, with the weights as they lie.
  private func tune(_ request: TuneRequest, _ call: Call, _ reply: some ReplySink) throws {
    let (model, builder, before) = try { () throws in
      let now = try loaded(embeddings: false)
      return (now.context.model, now.builder, now.request)
    }()
    loaded = nil  // two contexts at once may not fit
    var chosen = before
    let outcome = Result {
      try ContextTuning(model, request: before, cancelled: call.cancelled).run(request) {
        try reply.event(TuneEvent.row($0))
      }
    }
    if case .success(let best) = outcome { best.apply(to: &chosen) }
    let context = try LlamaContext(model, request: chosen)
    loaded = Loaded(request: chosen, conversation: HeldConversation(context), builder: builder)
    try reply.event(TuneEvent.chosen(outcome.get()))
  }

  // MARK: Working

  private func generate(_ request: GenerateRequest, _ call: Call, _ reply: some ReplySink) throws {
    let loaded = try loaded(embeddings: false)
    limits.begin(request)
    loaded.conversation.begin(for: request.party)
    try Generator(
      conversation: loaded.conversation, builder: loaded.builder, limits: limits, cancelled: call.cancelled
    ).run(request, reply)
  }

  private func readAhead(_ request: GenerateRequest, _ call: Call) throws -> Int {
    let loaded = try loaded(embeddings: false)
    let most = min(loaded.context.contextTokens, request.contextTokens ?? .max)
    guard let opening = try loaded.builder.opening(of: request, contextTokens: most, cancelled: call.cancelled)
    else { return 0 }
    loaded.conversation.begin(for: request.party)
    return try loaded.conversation.readAhead(opening, cancelled: call.cancelled)
  }

  private func keep(_ request: KeptPromptRequest, _ call: Call) throws -> Int {
    let conversation = try loaded(embeddings: false).conversation
    guard let descriptor = call.files.first else { throw EngineError.missingFile("a file to write into") }
    return try KeptPrompt(descriptor).write(conversation, request)
  }

  private func takeUp(_ request: KeptPromptRequest, _ call: Call) throws -> Int {
    let conversation = try loaded(embeddings: false).conversation
    guard let descriptor = call.files.first else { throw EngineError.missingFile("a file to read from") }
    return try KeptPrompt(descriptor).read(into: conversation, request)
  }

  private func count(_ request: TokensRequest, _ call: Call) throws -> [Int] {
    guard let vocabulary = sentences?.vocabulary ?? loaded?.builder.vocabulary else { throw EngineError.notLoaded }
    let isEmbedder = sentences != nil || loaded?.request.embeddings == true
    return try request.texts.map { text in
      try call.cancelled.check()
      return isEmbedder ? vocabulary.whole(text).count : vocabulary.untrusted(text, continuing: true).count
    }
  }

  private func countPrompt(_ request: GenerateRequest, _ call: Call) throws -> Int {
    try loaded(embeddings: false).builder.tokens(of: request.input, cancelled: call.cancelled).count
  }

  private func embed(_ request: EmbedRequest, _ call: Call, _ reply: some ReplySink) throws {
    if let sentences {
      let questions: (any TextEncoder)? = request.asQuestions ? mapped : nil
      return try TextEmbedder(
        vocabulary: sentences.vocabulary, encoder: questions ?? sentences, dimensions: SentenceEncoder.dimensions,
        window: SentenceEncoder.window, cancelled: call.cancelled
      ).run(request, reply)
    }
    let loaded = try loaded(embeddings: true)
    let questions = request.asQuestions ? loaded.questions : nil
    let context = questions ?? loaded.context
    let window = min(loaded.request.contextTokens, context.model.trainedContextTokens, context.batchTokens)
    let encoder: (any TextEncoder)? = questions == nil ? loaded.encoder : nil
    try TextEmbedder(
      vocabulary: context.model.vocabulary, encoder: encoder ?? context, dimensions: context.model.dimensions,
      window: window, cancelled: call.cancelled
    ).run(request, reply)
  }

  private func read(_ request: ReadRequest, _ call: Call, _ reply: some ReplySink) throws {
    guard let reader = try loaded(embeddings: true).reader else {
      throw EngineError.missingFile("an adapter to read with")
    }
    try WordReader(context: reader, cancelled: call.cancelled).run(request, reply)
  }

  private func score(_ request: ScoreRequest, _ call: Call) throws -> [Score] {
    let loaded = try loaded(embeddings: false)
    loaded.conversation.begin(for: request.party)
    return try Scorer(conversation: loaded.conversation, builder: loaded.builder, cancelled: call.cancelled).run(
      request)
  }

  private func judge(_ request: JudgeRequest, _ call: Call) throws -> [Judgement] {
    let now = try loaded(embeddings: false)
    let context = try now.judge ?? PassageJudge.context(of: now.context.model, request: now.request)
    loaded?.judge = context
    let threads = request.threads ?? now.context.threads
    context.setThreads(generation: threads, batch: threads)
    return try PassageJudge(context: context, cancelled: call.cancelled).run(request)
  }

  private func loaded(embeddings: Bool) throws -> Loaded {
    if sentences != nil { throw EngineError.wrongKind(needed: embeddings ? "an encoder of words" : "a text model") }
    guard let loaded else { throw EngineError.notLoaded }
    guard loaded.request.embeddings == embeddings else {
      throw EngineError.wrongKind(needed: embeddings ? "an embedding model" : "a text model")
    }
    return loaded
  }

  private func body<Body: Decodable>(_ call: Call) throws -> Body {
    do { return try call.decode(Body.self) } catch { throw EngineError.badRequest("\(error)") }
  }
}
