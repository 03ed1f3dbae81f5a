import Core
import Inference
import Models
import Resources
import Retrieval
import Storage

/// What the house offers to a turn, and nothing else of it: the library, who can answer, and where an answer is kept. Tests run
/// turns with a vault of their own and a pack that does what they say.
protocol TurnHouse: Sendable {
  var signposts: (any AnswerSignposts)? { get }
  var documents: DocumentShelf { get }
  var governor: Governor { get }
  var settings: Settings { get async }

  /// The turns before the one under way, as their prompts were.
  func turns(of conversation: String?) async -> [Prompt.Turn]
  /// What tools said there before the turn under way.
  func told(in conversation: String?) async -> ToldSoFar
  func finder(for question: String) async -> Searcher
  /// What the judge makes of the first of these passages, for which there is time; none where there is no judge now.
  func judge(
    _ question: String, _ passages: [JudgeRequest.Passage], _ limits: Limits, seconds: Double
  ) async throws -> [Judgement]
  /// What a search for this question cannot see yet, in words; nil when everything is ready.
  func unready(in collection: String?, for question: String) async throws -> String?

  /// What the device can bear now, with evidence for as long as the model that would answer needs to read it.
  func limits(_ mode: Mode?, for input: Ask.Input) async -> Limits
  /// The system's model is told that a question is on its way, where it would answer.
  func prewarm(_ mode: Mode, for input: Ask.Input) async
  func candidates(_ pack: String?, _ limits: Limits) async -> Candidates
  func writing(
    with pack: PackStatus, _ limits: Limits, notice: @escaping @Sendable (String) -> Void,
    progress: @escaping @Sendable (Double) -> Void
  ) async throws -> any WritingModel
  /// How many seconds a pack may phrase the points of whole documents before the rest is quoted.
  func longestWriting(_ mode: Mode) -> Double
  func computing<Value: Sendable>(
    _ name: String, on pack: String, _ priority: Priority, cores: Int,
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value
  /// Why a model could not go on, where another provider can take its place; nil where the person has to hear the error.
  func failing(_ author: String, _ error: any Error) async -> String?
  /// Tokens per second of reading, as it just was.
  func measured(readingSpeed: Double, of pack: String) async
  /// A pack gave an answer, which a free tier counts; one was wanted, and the tier has none left.
  func counted() async
  func tellIfGated() async throws

  /// Stores the answer of the turn under way and returns its id.
  func remember(_ turn: Prompt.Turn, _ record: AnswerRecord, in conversation: String?) async throws -> String?
  func trace(_ phases: Phases, _ record: AnswerRecord) async
  /// `moment`: when the turn began, by `LoadedPacks.now`.
  func readAhead(
    _ request: GenerateRequest, answer: String, with model: any WritingModel, of pack: String, keeping moment: Int?
  ) async
}

/// A loaded pack, as far as it writes.
protocol WritingModel: Sendable {
  var info: ModelInfo? { get async }
  func countTokens(_ texts: [String]) async throws -> [Int]
  func score(_ request: ScoreRequest) async throws -> [Score]
  func generate(_ request: GenerateRequest, inTurn: @escaping InTurn) -> AsyncThrowingStream<GenerationEvent, any Error>
  func adjust(_ adjustment: GenerateAdjustment) async throws
  @discardableResult
  func readAhead(_ request: GenerateRequest, keeping moment: Int?) async throws -> Int
}

extension TextModel: WritingModel {}

extension House: TurnHouse {
  var documents: DocumentShelf { vault.documents }

  func turns(of conversation: String?) async -> [Prompt.Turn] { await conversing.turns(of: conversation) }
  func told(in conversation: String?) async -> ToldSoFar { await conversing.told(in: conversation) }
  func remember(_ turn: Prompt.Turn, _ record: AnswerRecord, in conversation: String?) async throws -> String? {
    try await conversing.remember(turn, record, in: conversation)
  }
  func finder(for question: String) async -> Searcher { await library.finder(for: question) }
  func unready(in collection: String?, for question: String) async throws -> String? {
    try await library.unready(in: collection, for: question)
  }

  func limits(_ mode: Mode?, for input: Ask.Input) async -> Limits {
    let mode = mode ?? settings.mode
    if platformIfAnswering(input) != nil {
      return await governor.limits(mode, promptSpeed: models.measurements(of: Author.platformID).promptSpeed)
    }
    // Which pack answers hangs on the mode, and how much it can read in time on the pack.
    let preference = await governor.limits(mode).preference.value
    guard case .success(let status) = Result(catching: { try chatPack(asked: input.pack, preference: preference) })
    else {
      return await governor.limits(mode)  // nothing will be read
    }
    return await governor.limits(mode, promptSpeed: models.readingSpeed(of: status.pack))
  }

  func prewarm(_ mode: Mode, for input: Ask.Input) {
    let opening = Prompt.opening(mode, settings.instructions(for: Caller.asking))
    platformIfAnswering(input)?.prewarm(opening.spans.map(\.text).joined())
  }

  /// The system's model, where a question is put to it first and it can write.
  private func platformIfAnswering(_ input: Ask.Input) -> (any PlatformModel)? {
    guard (input.provider ?? settings.provider ?? .platform) == .platform, let platform, platform.absence == nil else {
      return nil
    }
    return platform
  }

  func computing<Value: Sendable>(
    _ name: String, on pack: String, _ priority: Priority, cores: Int,
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    // The system's model has its own processor and memory: there is nothing to share out or to keep.
    if pack == Author.platformID {
      return try await scheduler.run(name, priority, cores: cores) { _ in try await body() }
    }
    return try await models.computing(name, on: pack, priority, cores: cores, body)
  }

  func longestWriting(_ mode: Mode) -> Double { WholeDocuments.longestWriting(mode) }

  func measured(readingSpeed: Double, of pack: String) async {
    await models.measured(readingSpeed: readingSpeed, of: pack)
  }

  func readAhead(
    _ request: GenerateRequest, answer: String, with model: any WritingModel, of pack: String, keeping moment: Int?
  ) async {
    await models.readAhead(request, answer: answer, with: model, of: pack, keeping: moment)
  }

  func writing(
    with pack: PackStatus, _ limits: Limits, notice: @escaping @Sendable (String) -> Void,
    progress: @escaping @Sendable (Double) -> Void
  ) async throws -> any WritingModel {
    try await models.model(pack, limits: limits, notice: notice, progress: progress)
  }
}
