import Core
import Inference
import Models
import Resources

/// The pack of this turn is gone before it wrote anything, and another provider can take its place.
struct PackLost: Error {
  var reason: String
}

/// A pack that is loaded to write in one turn. Whatever a model writes there is written through here: when the scheduler gives
/// it the cores, paced by the governor, measured, and with the reason where the worker ends.
struct Writer: Sendable {
  let turn: Turn
  let pack: Pack
  let model: any WritingModel
  let governing: Governing

  init(_ status: PackStatus, for turn: Turn, _ limits: Limits, _ record: inout AnswerRecord) async throws {
    let (house, emit) = (turn.house, turn.emit)
    let (wasLoaded, began) = (await house.governor.isLoaded(status.pack.id), ContinuousClock.now)
    (self.turn, pack) = (turn, status.pack)
    model = try await house.orLost(status.pack.id) {
      try await house.writing(with: status, limits) {
        emit(Ask.Event(notice: $0))
      } progress: {
        emit(Ask.Event(loading: $0))
      }
    }
    if !wasLoaded { record.timings.loadMs = began.msUntilNow }
    turn.phases.end(wasLoaded ? "prepare" : "load the pack")
    governing = Governing(limits, of: record, model, turn)
  }

  /// One text. `request` says the most it may be by its nature; what the device allows comes on top. Where the worker ends in
  /// the middle, what it wrote until then comes back with the reason.
  func write(
    _ name: String, _ request: GenerateRequest, through collector: Collector, _ record: inout AnswerRecord
  ) async throws -> Written {
    let (house, id, cores) = (turn.house, pack.id, await model.info?.threads ?? 1)
    let governed = await governing.begin(request)
    var written = try await house.orLost(id) {
      try await house.computing(name, on: id, .person, cores: cores) {
        var collector = collector
        return try await collector.collect(model.generate(governed), governing.progress)
      }
    }
    if let failure = written.failure { written.lost = await house.failing(id, failure) ?? RemoteError(failure).message }
    if let speed = written.promptSpeed { await house.measured(readingSpeed: speed, of: id) }
    written.request = governed
    written.contextTokens = await model.info?.contextTokens ?? 0
    written.cut = await governing.cutReason(most: request.maximumTokens)
    written.fill(&record.timings)
    // An empty answer is none: whoever comes next gives one.
    if collector.isShown, !written.stopped, written.text.allSatisfy(\.isWhitespace), let report = written.report {
      let reason =
        report.thoughtTokens > 0
        ? "The model thought for as long as it may and came to no answer." : "The model wrote nothing."
      throw PackLost(reason: reason)
    }
    return written
  }

  /// One text that nobody sees as it is.
  func words(_ name: String, _ request: GenerateRequest, _ record: inout AnswerRecord) async throws -> Written {
    try await write(name, request, through: Collector(turn, isShown: false), &record)
  }

  func countTokens(_ texts: [String]) async throws -> [Int] {
    try await turn.house.orLost(pack.id) { try await model.countTokens(texts) }
  }
}

extension TurnHouse {
  /// Does it; a pack that cannot any more is `PackLost`.
  func orLost<Value: Sendable>(
    _ pack: String, _ body: @Sendable () async throws -> Value
  ) async throws -> Value {
    do { return try await body() } catch {
      guard let reason = await failing(pack, error) else { throw error }
      throw PackLost(reason: reason)
    }
  }
}
