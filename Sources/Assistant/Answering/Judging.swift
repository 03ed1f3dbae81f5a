import Core
import Inference
import Models
import Resources
import Retrieval

/// The pack that judges whether a passage answers, by an adapter that comes with the program (Training/Reading).
enum JudgePack {
  static let id = "smollm2-135m-instruct-q4_1"

  /// How long it reads, and how many passages it is given at most: a busy machine reads fewer of them, never longer.
  static func seconds(_ mode: Mode) -> Double { mode == .deep ? 1.9 : 0.7 }
  static func passages(_ mode: Mode) -> Int { mode == .deep ? 24 : 12 }
}

extension House {
  /// What the judge makes of passages, the first ones if there is no time for all; nothing where it cannot be asked now, which then
  /// decides nothing.
  func judge(
    _ question: String, _ passages: [JudgeRequest.Passage], _ limits: Limits, seconds: Double
  ) async throws -> [Judgement] {
    guard limits.heavyInference.value else { return [] }
    do {
      let status = try packs.status(of: JudgePack.id)
      let isLoaded = await governor.isLoaded(JudgePack.id)
      guard status.installed != nil, isLoaded || (limits.loads.value && status.fit.fits) else { return [] }
      // It reads a passage at a time: no long context is needed for that.
      var small = limits
      small.contextTokens.value = Fit.smallestContext
      let model = try await models.model(status, limits: small, measuring: false)
      // Threads that wait for each other read slower than one where others have the processor.
      let crowded = Crowd.isDense(await governor.state.reading.processorStalled)
      let cores = settings.threads ?? (crowded ? 1 : Device.current.cores)
      return try await computing("judging passages", on: JudgePack.id, .person, cores: cores) {
        try await model.judge(JudgeRequest(question, of: passages, threads: cores, seconds: seconds))
      }
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      // Damaged, refused or gone: the ranking decides alone, as without this pack.
      await errors.note(error, in: "judging")
      return []
    }
  }
}
