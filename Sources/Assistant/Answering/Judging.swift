import Core
import Inference
import Models
import Resources
import Retrieval

/// The pack that judges whether a passage answers, by an adapter that comes with the program (Training/Reading).
enum JudgePack {
  static let id = "smollm2-135m-instruct-q4_1"
  /// What it learned to read.
  static let speaks = QuestionLanguage.english

  /// How long a person waits for it, and how many passages it reads at most in that time.
  static func seconds(_ mode: Mode) -> Double { mode == .deep ? 2 : 0.7 }
  static func passages(_ mode: Mode) -> Int { mode == .deep ? 24 : 12 }
  /// English words in this vocabulary, with their spaces.
  static let bytesPerToken = 4.0

  /// The first passages, as many as there is room for; one always.
  static func fitting(_ passages: [JudgeRequest.Passage], _ question: String, _ bytes: Int) -> [JudgeRequest.Passage] {
    func length(_ passage: JudgeRequest.Passage) -> Int {
      passage.sentences.reduce(passage.title.utf8.count + question.utf8.count) { $0 + $1.utf8.count }
    }
    var left = bytes
    return passages.enumerated().prefix { index, passage in
      left -= length(passage)
      return index == 0 || left >= 0
    }.map(\.element)
  }
}

extension House {
  /// What the judge makes of passages, the first ones if there is no time for all; none where it cannot be asked now, which then
  /// decides nothing.
  func judge(_ question: String, _ passages: [JudgeRequest.Passage], _ limits: Limits) async throws -> [Judgement] {
    guard QuestionLanguage(of: question) == JudgePack.speaks, limits.heavyInference.value else { return [] }
    do {
      let status = try packs.status(of: JudgePack.id)
      let isLoaded = await governor.isLoaded(JudgePack.id)
      guard status.installed != nil, isLoaded || (limits.loads.value && status.fit.fits) else { return [] }
      // It reads a passage at a time: no long context is needed for that.
      var small = limits
      small.contextTokens.value = Fit.smallestContext
      let model = try await models.model(status, limits: small, measuring: false)
      let speed = await models.judgingSpeed(of: status.pack) ?? .infinity
      let room = speed * JudgePack.seconds(limits.mode.value) * JudgePack.bytesPerToken
      let chosen = JudgePack.fitting(passages, question, Int(min(room, 1e6)))
      // Threads that wait for each other read slower than one where others have the processor.
      let crowded = Crowd.isDense(await governor.state.reading.processorStalled)
      let cores = settings.threads ?? (crowded ? 1 : Device.current.cores)
      let began = ContinuousClock.now
      let judgements = try await computing("judging passages", on: JudgePack.id, .person, cores: cores) {
        try await model.judge(JudgeRequest(question, of: chosen, threads: cores))
      }
      let tokens = judgements.reduce(0) { $0 + $1.tokens }
      await models.measured(judgingSpeed: Double(tokens) / max((ContinuousClock.now - began).seconds, 1e-3))
      return judgements
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      // Damaged, refused or gone: the ranking decides alone, as without this pack.
      await errors.note(error, in: "judging")
      return []
    }
  }
}
