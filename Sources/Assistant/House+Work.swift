import Core
import Foundation
import Inference
import Resources

/// Work in the house: everything that computes takes its turn, and everything a person waits for is known to be under way.
extension House {
  /// A person, or a voice, waits while this runs: indexing stands aside and no pack leaves memory for want of an onlooker.
  nonisolated func attending<Value: Sendable>(
    _ name: String, _ priority: Priority = .person, _ body: @Sendable () async throws -> Value
  ) async throws -> Value {
    try await scheduler.run(name, priority, cores: 0) { _ in try await governor.during(body) }
  }

  /// Computes with a pack: in its turn, and with the pack kept in memory meanwhile.
  nonisolated func computing<Value: Sendable>(
    _ name: String, on pack: String, _ priority: Priority, cores: Int, _ body: @Sendable () async throws -> Value
  ) async throws -> Value {
    try await scheduler.run(name, priority, cores: cores) { _ in
      await computes(pack, by: 1)
      do {
        let value = try await governor.using(pack, body)
        await computes(pack, by: -1)
        return value
      } catch {
        await computes(pack, by: -1)
        throw error
      }
    }
  }

  /// The same for work that can begin anew: it is cut short as soon as somebody more urgent comes.
  nonisolated func computingAnew<Value: Sendable>(
    _ name: String, on pack: String, _ priority: Priority, cores: Int,
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await scheduler.runAnew(name, priority, cores: cores) { [governor] in try await governor.using(pack, body) }
  }

  // MARK: Reading ahead

  /// While a person reads an answer, its pack reads what the next question will begin with. Whoever needs the pack first ends this.
  func readAhead(_ request: GenerateRequest, answer: String, with model: any WritingModel, of pack: String) {
    guard case .chat(let messages, let tools) = request.input else { return }
    var next = request
    next.input = .chat(messages + [Message(.assistant, untrusted: answer)], tools: tools)
    readings[pack]?.cancel()
    readings[pack] = Task { [scheduler, governor, next] in
      do {
        try await scheduler.run("what a next question begins with", .indexing, cores: 1) { _ in
          try await governor.using(pack) {
            if await model.info != nil { try await model.readAhead(next) }
          }
        }
      } catch { await note(error, in: "reading ahead") }
    }
  }

  func stopReadingAhead(_ pack: String) async {
    guard let reading = readings.removeValue(forKey: pack) else { return }
    reading.cancel()
    await reading.value
  }

  // MARK: Speaking while an answer is written

  private func computes(_ pack: String, by delta: Int) async {
    atWork[pack, default: 0] += delta
    if atWork[pack] == 0 { atWork[pack] = nil }
    await shareCores()
  }

  /// Whoever speaks waits for nobody, so that for once two compute side by side: each then has its share of the cores.
  func shareCores() async {
    let crowded = Crowd.isDense(await governor.state.reading.processorStalled)
    let coreShare = CoreShare(
      cores: Device.current.cores, listens: !hearings.isEmpty, writes: !atWork.isEmpty, crowded: crowded)
    for hearing in hearings.values { hearing.share(threads: coreShare.speech) }
    guard leavesCores || coreShare.answer > 0 else { return }
    leavesCores = coreShare.answer > 0
    for model in models.values {
      // Fails only where the worker has gone, and that needs no cores.
      do { try await model.adjust(GenerateAdjustment(threads: coreShare.answer)) } catch { continue }
    }
  }

  // MARK: Pages

  /// A visible page that has not been heard of for so long is gone without a word.
  static let silence = Duration.seconds(45)

  /// What a page says about itself. Once pages have been there and none is visible, nobody looks.
  func heard(of page: String, visible: Bool?) async {
    pages[page] = visible.map { (visible: $0, heard: ContinuousClock.now) }
    await lookAround()
    guard visible == true else { return }
    Task { [weak self] in
      guard await waited(House.silence + .seconds(1)) else { return }
      await self?.lookAround()
    }
  }

  private func lookAround() async {
    pages = pages.filter { ContinuousClock.now - $0.value.heard < House.silence || !$0.value.visible }
    sawPage = sawPage || !pages.isEmpty
    await governor.background(sawPage && !pages.values.contains(where: \.visible))
  }
}

/// How many threads an answer and a dictation have while both compute; 0 for an answer that is alone: as many as it likes.
struct CoreShare: Equatable {
  var answer = 0
  var speech: Int

  /// Among other programs one thread hears sooner than two that wait for each other: 1.2 s instead of 6.6 for one sentence.
  init(cores: Int, listens: Bool, writes: Bool, crowded: Bool = false) {
    let half = max(1, cores / 2)
    (answer, speech) = listens && writes ? (max(1, cores - half), half) : (0, cores)
    if crowded { speech = 1 }
  }
}

/// A page says whether it is visible, again every few seconds while it is, and that it goes.
package enum Presence: Operation {
  package struct Input: Codable, Sendable {
    package var page: String
    /// nil: the page goes.
    package var visible: Bool?
  }
  package static let name = "presence"
  package static func run(_ input: Input, in house: House) -> AsyncThrowingStream<Nothing, any Error> {
    streaming { emit in
      await house.heard(of: String(input.page.prefix(64)), visible: input.visible)
      emit(Nothing())
    }
  }
}
