import Core
import Inference
import Models
import Resources

/// Who was to write is gone before it wrote anything, and another provider can take its place.
struct WriterLost: Error {
  var reason: String
  var remedy: String?
  /// The system's guardrails decline: then no other model writes either.
  var isDeclined = false

  /// What cannot be asked after it, and why.
  func leaves(_ provider: ProviderKind) -> [Availability] {
    let this = Availability(provider, available: false, reason: reason, remedy: remedy)
    guard isDeclined else { return [this] }
    return [
      this, Availability(.local, available: false, reason: "no pack is asked what the system's guardrails decline"),
    ]
  }
}

/// Who writes in a turn: a pack of this program, or the model of the system.
enum Author: Sendable {
  case pack(PackStatus)
  case platform(any PlatformModel)

  static let platformID = "platform"
  static let platformName = "the system's model"
  /// What Apple says of its model: some three billion (machinelearning.apple.com/research, foundation models of 2024 and 2025).
  private static let platformParameters: Int64 = 3_000_000_000

  var pack: Pack? { if case .pack(let status) = self { status.pack } else { nil } }
  /// What the scheduler, the governor and the measurements know it by.
  var id: String { pack?.id ?? Self.platformID }
  var name: String { pack?.name ?? Self.platformName }
  var parameters: Int64 { pack?.parameters ?? Self.platformParameters }
}

/// A model that is ready to write in one turn. Whatever a model writes there is written through here: when the scheduler gives
/// it the cores, paced by the governor, measured, and with the reason where it ends in the middle.
struct Writer: Sendable {
  let turn: Turn
  let author: Author
  let model: any WritingModel
  let governing: Governing

  init(_ author: Author, for turn: Turn, _ limits: Limits, _ record: inout AnswerRecord) async throws {
    (self.turn, self.author) = (turn, author)
    switch author {
    case .pack(let status): model = try await Self.loaded(status, for: turn, limits, &record)
    case .platform(let platform):
      model = PlatformWriter(platform)
      turn.phases.end("prepare")
    }
    governing = Governing(limits, of: record, model, turn)
  }

  private static func loaded(
    _ status: PackStatus, for turn: Turn, _ limits: Limits, _ record: inout AnswerRecord
  ) async throws -> any WritingModel {
    let (house, emit) = (turn.house, turn.emit)
    let (wasLoaded, began) = (await house.governor.isLoaded(status.pack.id), ContinuousClock.now)
    let model = try await house.orLost(status.pack.id) {
      try await house.writing(with: status, limits) {
        emit(Ask.Event(notice: $0))
      } progress: {
        emit(Ask.Event(loading: $0))
      }
    }
    if !wasLoaded { record.timings.loadMs = began.msUntilNow }
    turn.phases.end(wasLoaded ? "prepare" : "load the pack")
    return model
  }

  /// How many tokens of evidence it is shown at most: half of what it can read at once stays free for the rest.
  func evidence(_ limits: Limits) -> Limit<Int> {
    var most = limits.evidenceTokens
    if case .platform(let platform) = author, platform.contextTokens / 2 < most.value {
      (most.value, most.reason) = (platform.contextTokens / 2, "half of what \(author.name) can read at once")
    }
    return most
  }

  /// One text. `request` says the most it may be by its nature; what the device allows comes on top. Where it ends in
  /// the middle, what it wrote until then comes back with the reason.
  func write(
    _ name: String, _ request: GenerateRequest, through collector: Collector, _ record: inout AnswerRecord
  ) async throws -> Written {
    let (house, id, cores) = (turn.house, author.id, await model.info?.threads ?? 1)
    let governed = await governing.begin(request)
    let events = model.generate(governed) { try await house.computing(name, on: id, .person, cores: cores, $0) }
    var written = try await house.orLost(id) {
      var collector = collector
      return try await collector.collect(events, governing.progress)
    }
    if let failure = written.failure { written.lost = await house.failing(id, failure) ?? RemoteError(failure).message }
    if let reason = written.leftCard {
      await governing.keep(LimitNote(what: "graphics card", value: "not used", reason: reason))
    }
    if let speed = written.promptSpeed { await house.measured(readingSpeed: speed, of: id) }
    written.request = governed
    written.contextTokens = await model.info?.contextTokens ?? 0
    written.cut = await governing.cutReason(most: request.maximumTokens)
    written.fill(&record.timings)
    // An empty answer counts as none, so the next provider gives one.
    if collector.isShown, !written.stopped, written.text.allSatisfy(\.isWhitespace), let report = written.report {
      let reason =
        report.thoughtTokens > 0
        ? "The model thought for as long as it may and came to no answer." : "The model wrote nothing."
      throw WriterLost(reason: reason)
    }
    return written
  }

  /// One text that nobody sees as it is.
  func words(_ name: String, _ request: GenerateRequest, _ record: inout AnswerRecord) async throws -> Written {
    try await write(name, request, through: Collector(turn, isShown: false), &record)
  }

  func countTokens(_ texts: [String]) async throws -> [Int] {
    try await turn.house.orLost(author.id) { try await model.countTokens(texts) }
  }
}

extension TurnHouse {
  /// Does it; one who cannot write any more is `WriterLost`.
  func orLost<Value: Sendable>(
    _ author: String, _ body: @Sendable () async throws -> Value
  ) async throws -> Value {
    do { return try await body() } catch {
      guard let reason = await failing(author, error) else { throw error }
      throw WriterLost(
        reason: reason, remedy: (error as? PlatformFailure)?.remedy, isDeclined: error as? PlatformFailure == .declined)
    }
  }
}
