import Core
import Foundation
import Spoken
import Synchronization
import Workers

/// The live pipeline: samples come in through a descriptor, words go out as events. Runs on the engine's thread, which never
/// decodes here: partial and final words are made on two lanes meanwhile.
struct StreamListener {
  private let call: Call
  private let recogniser: Recogniser
  private let voice: VoiceModel
  private let adjustment: LiveAdjustment
  private let input: CInt
  private var request: ListenRequest
  private let bell: Wakeup
  private let lanes: (final: Lane, partial: Lane)

  private var decoder: PCMDecoder
  private var recording = Recording()
  private var endpointer: Endpointer
  private var report = ListenReport()
  private var speaking: Speaking?
  private var ended: [Candidate] = []  // waiting for their words, oldest first
  private var discarded: [Job<Recogniser.Result>] = []
  private var utterances = 0
  private var isOver = false

  /// What is being said.
  private struct Speaking {
    var number: Int
    var began: Int
    var stabiliser = Stabiliser()
    /// Live words are looked for from here on; so many confirmed words lie before it.
    var window: (frame: Int, words: Int)
    var candidate: Candidate?
    /// A silent frame so far alone: a glance under way is not given up for what may be the closure before a "t".
    var stillFrame: Int?
    var glance: (job: Job<(transcript: SpeechTranscript?, milliseconds: Double)>, cancelled: CancelFlag, end: Int)?
    var lastGlance: Int
  }

  /// A final decode that counts if speech does not go on.
  private struct Candidate {
    var number: Int
    var frames: Range<Int>
    var job: Job<Recogniser.Result>
    var cancelled: CancelFlag
    var ended: ContinuousClock.Instant?
  }

  init(
    _ request: ListenRequest, _ call: Call, _ recogniser: Recogniser, _ voice: VoiceModel,
    adjustment: LiveAdjustment
  ) throws {
    guard let input = call.files.first else { throw SpeechError.unreadable("no sound came with the request") }
    self.request = request
    self.call = call
    self.recogniser = recogniser
    self.voice = voice
    self.adjustment = adjustment
    self.input = input
    decoder = try PCMDecoder(request.format)
    endpointer = Endpointer(request.endpointing)
    bell = try Wakeup()
    lanes = (Lane("final", bell: bell), Lane("partial", bell: bell))
    voice.reset()
  }

  mutating func run(_ reply: some ReplySink) throws {
    defer { abandon() }
    while true {
      if call.cancelled.isSet { throw CancellationError() }
      adjustment.current.apply(to: &request)
      try collect(reply)
      if isOver, speaking == nil, ended.isEmpty { break }
      try wait(reply)
    }
    lanes.final.drain()
    lanes.partial.drain()
    report.discardedMs = discarded.reduce(0) { $0 + $1.milliseconds }
    report.audioMs = Sound.seconds(recording.end * Sound.frame) * 1000
    try reply.event(ListenEvent.done(report))
  }

  // MARK: Sound

  /// Waits for sound or for words. While three utterances wait for theirs, no more sound is taken: whoever feeds faster than
  /// can be understood is slowed down, and memory stays bounded.
  private mutating func wait(_ reply: some ReplySink) throws {
    let isHungry = !isOver && ended.count < 3
    var watched = [
      pollfd(fd: isHungry ? input : -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    // The end of the wait is only for noticing a cancelled call.
    guard poll(&watched, 2, 50) > 0 else { return }
    if watched[1].revents != 0 { bell.silence() }
    guard watched[0].revents != 0 else { return }
    var bytes = [UInt8](repeating: 0, count: 8192)
    let count = read(input, &bytes, bytes.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return }
    if count > 0 {
      let found = try recording.append(decoder.decode(bytes[..<count]), judge: voice.probabilities)
      try take(found, reply)
    } else {
      let rest = try recording.append(decoder.finish(), judge: voice.probabilities)
      try take(rest + (try recording.finish(judge: voice.probabilities)), reply)
      try act(endpointer.finish(), reply)
      isOver = true
    }
  }

  private mutating func take(_ probabilities: [Float], _ reply: some ReplySink) throws {
    let first = recording.end - probabilities.count
    for (place, probability) in probabilities.enumerated() where !isOver {
      try act(endpointer.take(probability, level: recording.level(of: first + place)), reply)
      if let still = speaking?.stillFrame, still < first + place { beginCandidate() }
    }
    startGlance()
    // Nothing before the utterance, or before the lead of the next one, is needed any more.
    let lead = Sound.frames(milliseconds: request.endpointing.leadMs + request.endpointing.minimumSpeechMs) + 2
    recording.forget(before: speaking?.began ?? recording.end - lead)
  }

  private mutating func act(_ events: [Endpointer.Event], _ reply: some ReplySink) throws {
    for event in events {
      switch event {
      case .began(let frame):
        utterances += 1
        speaking = Speaking(number: utterances, began: frame, window: (frame, 0), lastGlance: frame)
        try reply.event(ListenEvent.speech(at: Sound.seconds(frame * Sound.frame)))
      case .paused(let frame):
        speaking?.stillFrame = frame
        if speaking?.glance == nil || recording.voiced(frame..<(frame + 1)) == 0 { beginCandidate() }
      case .resumed:
        speaking?.stillFrame = nil
        discard()
      case .ended(let frame, _):
        guard let current = speaking else { continue }
        current.glance?.cancelled.set()
        var candidate = current.candidate ?? settle(current, until: frame)
        candidate.ended = .now
        ended.append(candidate)
        speaking = nil
      case .stopped:
        isOver = true
        try reply.event(ListenEvent.stopped)
      }
    }
  }

  // MARK: Words

  /// A model is used by one lane only, whatever it is used for.
  private func lane(of model: WhisperModel) -> Lane { model === recogniser.partial ? lanes.partial : lanes.final }

  private func settle(_ speaking: Speaking, until end: Int) -> Candidate {
    let frames = speaking.began..<end
    let (sound, voiced, options) = (recording.sound(frames), recording.voiced(frames), request.options)
    let start = Sound.seconds(frames.lowerBound * Sound.frame)
    let (recogniser, cancelled) = (recogniser, CancelFlag())
    let job = lane(of: recogniser.settling(options)).submit {
      try recogniser.settle(sound, start: start, voiced: voiced, options, cancelled: cancelled)
    }
    return Candidate(number: speaking.number, frames: frames, job: job, cancelled: cancelled)
  }

  private mutating func beginCandidate() {
    guard let current = speaking, let frame = current.stillFrame else { return }
    current.glance?.cancelled.set()
    let candidate = settle(current, until: frame + 1)
    speaking?.candidate = candidate
    speaking?.stillFrame = nil
  }

  private mutating func discard() {
    guard let candidate = speaking?.candidate else { return }
    candidate.cancelled.set()
    report.discarded += 1
    discarded.append(candidate.job)
    speaking?.candidate = nil
  }

  private mutating func startGlance() {
    guard let interval = request.partialIntervalMs, let current = speaking, current.candidate == nil,
      current.glance == nil, lane(of: recogniser.glancing(request.options)).isIdle, ended.isEmpty,
      recording.end - current.lastGlance >= Sound.frames(milliseconds: interval),
      // A voice that fades may be at its end, and then a glance would only be in the way of the final decode.
      recording.voiced((recording.end - 1)..<recording.end) > 0
    else { return }
    let frames = current.window.frame..<recording.end
    let (sound, voiced, options) = (recording.sound(frames), recording.voiced(frames), request.options)
    let start = Sound.seconds(frames.lowerBound * Sound.frame)
    let (recogniser, cancelled) = (recogniser, CancelFlag())
    let job = lane(of: recogniser.glancing(options)).submit {
      try recogniser.glance(sound, start: start, voiced: voiced, options, cancelled: cancelled)
    }
    speaking?.glance = (job, cancelled, frames.upperBound)
    speaking?.lastGlance = frames.upperBound
  }

  /// Passes on what the lanes have done.
  private mutating func collect(_ reply: some ReplySink) throws {
    if let glance = speaking?.glance, let result = glance.job.result {
      speaking?.glance = nil
      switch result {
      case .success(let (transcript?, milliseconds)):
        report.partials += 1
        report.partialMs += milliseconds
        try show(transcript, until: glance.end, reply)
      case .success(let (nil, milliseconds)): report.partialMs += milliseconds
      case .failure(is CancellationError): break
      case .failure(let error): throw error
      }
      startGlance()
    }
    while let next = ended.first, let result = next.job.result {
      ended.removeFirst()
      let found = try result.get()
      report.finalMs += found.milliseconds
      report.retries += found.retries
      // What turned out to be no speech was never an utterance.
      report.utterances += found.transcript.text.isEmpty ? 0 : 1
      try reply.event(
        ListenEvent.final(
          SpokenUtterance(
            number: next.number, transcript: found.transcript,
            start: Sound.seconds(next.frames.lowerBound * Sound.frame),
            end: Sound.seconds(next.frames.upperBound * Sound.frame), decodeMs: found.milliseconds,
            lateMs: next.ended?.msUntilNow ?? 0)))
    }
  }

  private mutating func show(
    _ transcript: SpeechTranscript, until end: Int, _ reply: some ReplySink
  ) throws {
    guard var current = speaking else { return }
    let before = current.stabiliser.confirmed.prefix(current.window.words)
    current.stabiliser.take(before + transcript.words.map(\.text))
    // However long somebody speaks, a glance stays short: it moves on behind what is confirmed, two words excepted.
    let settled = transcript.words.count - current.stabiliser.tail.count - 2
    if Sound.seconds((end - current.window.frame) * Sound.frame) > 8, transcript.words.indices.contains(settled) {
      let frame = Int(transcript.words[settled].start * Double(Sound.rate)) / Sound.frame
      current.window = (max(current.window.frame, frame), max(0, current.stabiliser.confirmed.count - 2))
    }
    speaking = current
    try reply.event(
      ListenEvent.partial(
        PartialWords(
          utterance: current.number, confirmed: current.stabiliser.confirmed.joined(separator: " "),
          tail: current.stabiliser.tail.joined(separator: " "))))
  }

  /// The models are free again when this returns.
  private func abandon() {
    speaking?.glance?.cancelled.set()
    speaking?.candidate?.cancelled.set()
    for candidate in ended { candidate.cancelled.set() }
    lanes.final.drain()
    lanes.partial.drain()
  }
}
