/// Decides from speech probabilities, one per frame of 32 ms, where an utterance begins, pauses and ends.
///
/// ```
/// probability  .1 .1 .9 .9 .9 .9 .2 .1 .8 .9 .9 .1 .1 .1 .1 .1 .1 .1 .1 .1
/// event                    began    paused resumed  paused            ended
/// ```
/// `paused` comes with the first silent frame: the final decode starts there and runs while the hang-over is waited out.
package struct Endpointer: Sendable, Equatable {
  package struct Settings: Sendable, Equatable, Codable {
    package var startThreshold: Float = 0.5
    /// Lower than the start's: the end of a word is quieter than its beginning.
    package var endThreshold: Float = 0.35
    /// Less speech than this is a click or a cough.
    package var minimumSpeechMs = 96
    /// Silence that ends an utterance.
    package var hangOverMs = 300
    /// Sound kept from before speech was noticed.
    package var leadMs = 256
    /// Longer utterances are cut at their quietest place; from half of this on, ever shorter pauses end them.
    package var longestMs = 24_000
    /// Silence after speech that ends listening; nil never does.
    package var automaticStopMs: Int?
    /// Silence before any speech that ends listening, if `automaticStopMs` is set.
    package var patienceMs = 8000
    package init() {}

    /// For files, where nobody waits: longer pieces with more of their surroundings are recognised better.
    package static var forFiles: Settings {
      var settings = Settings()
      settings.startThreshold = 0.35
      settings.endThreshold = 0.2
      settings.minimumSpeechMs = 64
      settings.hangOverMs = 1000
      settings.leadMs = 400
      settings.longestMs = 28_000
      return settings
    }
  }

  package enum Event: Sendable, Equatable {
    /// An utterance begins with this frame (the lead is included).
    case began(Int)
    /// The first silent frame.
    case paused(Int)
    /// Speech goes on: what was decoded since the pause is void.
    case resumed(Int)
    /// The utterance ends before this frame. `cut`: in the middle of speech, because it had become too long.
    case ended(Int, cut: Bool)
    case stopped
  }

  private enum Phase: Sendable, Equatable {
    case silence(voiced: Int)
    case speech(began: Int)
    case pause(began: Int, since: Int, voiced: Int)
  }

  private let settings: Settings
  private var phase = Phase.silence(voiced: 0)
  private var frame = 0
  private var lastVoice: Int?
  private var earliest = 0  // where the last utterance ended: a lead never reaches behind it
  private var recent: [Float] = []  // probabilities of the last seconds, for the place of a cut
  private var loudest: Float = 0  // of the utterance

  /// `begun`: an utterance ended before this frame already.
  package init(_ settings: Settings, after begun: Int = 0) { (self.settings, earliest) = (settings, begun) }

  /// `level`: the loudest sample of the frame.
  package mutating func take(_ probability: Float, level: Float = 1) -> [Event] {
    defer { frame += 1 }
    let probability = Endpointer.isStill(probability, level, loudest: loudest) ? 0 : probability
    loudest = isSilent && probability < settings.startThreshold ? 0 : max(loudest, level)
    recent.append(probability)
    if recent.count > Sound.frames(milliseconds: 5000) { recent.removeFirst() }
    if probability >= settings.endThreshold, !isSilent { lastVoice = frame }
    switch phase {
    case .silence(let voiced): return silent(probability, voiced)
    case .speech(let began):
      if probability < settings.endThreshold {
        phase = .pause(began: began, since: frame, voiced: 0)
        return [.paused(frame)]
      }
      return isTooLong(began) ? cut(began) : []
    case .pause(let began, let since, let voiced): return paused(probability, began, since, voiced)
    }
  }

  /// The sound is over: what was being said ends here.
  package mutating func finish() -> [Event] {
    defer { phase = .silence(voiced: 0) }
    return isSilent ? [] : [.ended(frame, cut: false)]
  }

  /// The detector's word lags behind the sound by two or three frames. Where a hundredth of the utterance's loudness is left and
  /// the detector has begun to doubt, the silence has begun; in the middle of a word, before a "t" or "p", it does not doubt.
  private static func isStill(_ probability: Float, _ level: Float, loudest: Float) -> Bool {
    level < loudest / 100 && probability < 0.97
  }

  private var isSilent: Bool { if case .silence = phase { true } else { false } }

  private mutating func silent(_ probability: Float, _ voiced: Int) -> [Event] {
    let voiced = probability >= settings.startThreshold ? voiced + 1 : 0
    guard voiced >= Sound.frames(milliseconds: settings.minimumSpeechMs) else {
      phase = .silence(voiced: voiced)
      guard let stop = settings.automaticStopMs, voiced == 0 else { return [] }
      let wait = lastVoice == nil ? settings.patienceMs : stop
      return frame - (lastVoice ?? -1) >= Sound.frames(milliseconds: wait) ? [.stopped] : []
    }
    let lead = Sound.frames(milliseconds: settings.leadMs)
    let began = max(earliest, frame + 1 - voiced - lead)
    phase = .speech(began: began)
    lastVoice = frame
    return [.began(began)]
  }

  private mutating func paused(_ probability: Float, _ began: Int, _ since: Int, _ voiced: Int) -> [Event] {
    let voiced = probability >= settings.endThreshold ? voiced + 1 : 0
    // One loud frame or two middling ones: a single middling frame is a breath.
    if probability >= settings.startThreshold || voiced >= 2 {
      phase = .speech(began: began)
      lastVoice = frame
      return [.resumed(frame)]
    }
    guard voiced == 0, frame + 1 - since >= hangOver(began) else {
      phase = .pause(began: began, since: since, voiced: voiced)
      return []
    }
    phase = .silence(voiced: 0)
    lastVoice = since - 1
    earliest = since + 1
    return [.ended(since + 1, cut: false)]
  }

  private func hangOver(_ began: Int) -> Int {
    let whole = Sound.frames(milliseconds: settings.hangOverMs)
    let longest = Double(Sound.frames(milliseconds: settings.longestMs))
    let late = (Double(frame - began) / longest - 0.5) * 2  // 0 at half, 1 at the longest
    return max(3, Int(Double(whole) * (1 - 0.7 * min(max(late, 0), 1))))
  }

  private func isTooLong(_ began: Int) -> Bool { frame + 1 - began >= Sound.frames(milliseconds: settings.longestMs) }

  private mutating func cut(_ began: Int) -> [Event] {
    let quietest = recent.indices.min { recent[$0] < recent[$1] } ?? recent.count - 1
    let place = max(began + 1, frame - (recent.count - 1 - quietest))
    earliest = place
    phase = .speech(began: place)
    return [.ended(place, cut: true), .began(place)]
  }
}
