import Foundation
import Speech

/// Speech fed at the speed at which it is spoken; what a person waits for.
struct Latency {
  struct Result: Codable {
    var commands = 0
    /// From the true end of speech, found in the clean recording, to the settled text; hang-over included.
    var finalMsP50 = 0.0
    var finalMsP95 = 0.0
    /// From the first word to the first shown words.
    var firstPartialMsP50 = 0.0
    /// Between two partials of one utterance.
    var partialMsP50 = 0.0
    var partialMsP95 = 0.0
    var partials = 0
    var confirmedWordsChanged = 0
    var discardedDecodes = 0
    var discardedMs = 0.0
    var cpuSecondsPerSecond = 0.0
    var wordErrors = 0.0
    var footprintMB = 0.0
  }

  private let transcriber: Transcriber
  init(_ transcriber: Transcriber) { self.transcriber = transcriber }

  func measure(_ clips: [Clip]) async throws -> Result {
    var result = Result()
    var (finals, firsts, gaps) = ([Double](), [Double](), [Double]())
    var errors: [(errors: Double, words: Int)] = []
    let before = await processorSeconds()
    var sound = 0.0
    for clip in clips {
      let listening = try await transcriber.listen(ListenRequest())
      let lead = [Float](repeating: 0, count: Sound.rate / 2)
      let samples = lead + clip.samples + [Float](repeating: 0, count: Sound.rate * 3 / 2)
      let began = ContinuousClock.now
      let feeding = Task { try await feed(samples, into: listening, since: began) }
      var text: [String] = []
      var shown: (utterance: Int, confirmed: String, at: Double)?
      var lastFinal = 0.0
      for try await event in listening.events {
        let now = (ContinuousClock.now - began) / .milliseconds(1)
        switch event {
        case .partial(let words):
          result.partials += 1
          if let shown, shown.utterance == words.utterance {
            gaps.append(now - shown.at)
            if !words.confirmed.hasPrefix(shown.confirmed) { result.confirmedWordsChanged += 1 }
          } else if shown == nil {
            firsts.append(now - 500)
          }
          shown = (words.utterance, words.confirmed, now)
        case .final(let utterance) where !utterance.transcript.text.isEmpty:
          text.append(utterance.transcript.text)
          lastFinal = now
        case .done(let report):
          result.discardedDecodes += report.discarded
          result.discardedMs += report.discardedMs
          sound += report.audioMs / 1000
        default: break
        }
      }
      try await feeding.value
      finals.append(lastFinal - (0.5 + clip.endOfSpeech) * 1000)
      let said = WordErrors.words(clip.said ?? "")
      errors.append((Double(WordErrors.count(WordErrors.words(text.joined(separator: " ")), said)), said.count))
    }
    result.commands = clips.count
    (result.finalMsP50, result.finalMsP95) = (finals.quantile(0.5), finals.quantile(0.95))
    result.firstPartialMsP50 = firsts.quantile(0.5)
    (result.partialMsP50, result.partialMsP95) = (gaps.quantile(0.5), gaps.quantile(0.95))
    result.cpuSecondsPerSecond = (await processorSeconds() - before) / sound
    result.wordErrors = WordErrors.interval(errors).rate * 100
    result.footprintMB = await footprint()
    return result
  }

  /// 20 ms at a time, as a microphone gives them.
  private func feed(_ samples: [Float], into listening: Listening, since began: ContinuousClock.Instant) async throws {
    let piece = Sound.rate / 50
    for start in stride(from: 0, to: samples.count, by: piece) {
      let end = min(start + piece, samples.count)
      try await Task.sleep(until: began + .seconds(Sound.seconds(end)), clock: .continuous)
      await listening.feed(bytes(samples[start..<end]))
    }
    await listening.finish()
  }

  private func processorSeconds() async -> Double {
    guard let process = await transcriber.process(),
      let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    else { return 0 }
    // Behind the name, which may contain anything: user and system time are the 12th and 13th.
    let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
    return fields.count > 13
      ? ((Double(fields[12]) ?? 0) + (Double(fields[13]) ?? 0)) / Double(sysconf(Int32(_SC_CLK_TCK))) : 0
  }

  private func footprint() async -> Double {
    guard let process = await transcriber.process(),
      let text = try? String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8)
    else { return 0 }
    return (text.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0) * 4096 / 1e6
  }
}

func bytes(_ samples: ArraySlice<Float>) -> Data {
  samples.reduce(into: Data(capacity: samples.count * 2)) { data, sample in
    withUnsafeBytes(of: Int16(max(-1, min(1, sample)) * 32_767).littleEndian) { data.append(contentsOf: $0) }
  }
}

extension [Double] {
  func quantile(_ share: Double) -> Double {
    let sorted = sorted()
    return sorted.isEmpty ? 0 : sorted[Swift.min(sorted.count - 1, Int((Double(sorted.count) * share).rounded(.down)))]
  }
}
