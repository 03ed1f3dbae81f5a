import CWhisper
import Core
package import Foundation
import Spoken
import Synchronization
package import Workers

/// What the reader thread was told while the engine's thread listens.
final class LiveAdjustment: Sendable {
  private let value = Mutex(ListenAdjustment())
  var current: ListenAdjustment { value.withLock { $0 } }
  func clear() { value.withLock { $0 = ListenAdjustment() } }
  func take(_ change: ListenAdjustment) { value.withLock { $0.take(change) } }
}

/// whisper.cpp behind the messages of the Speech room. Runs in a sealed worker: packs and sound arrive as descriptors.
package final class SpeechEngine: Engine {
  private var recogniser: Recogniser?
  private var voice: VoiceModel?
  private let adjustment = LiveAdjustment()

  package init() {
    // Its log would mix with the worker's last words.
    whisper_log_set({ _, _, _ in }, nil)
  }

  package func handle(_ call: Call, _ reply: some ReplySink) throws {
    switch call.operation {
    case "load": try load(try body(call), call.files)
    case "transcribe": try transcribe(try body(call), call, reply)
    case "listen":
      guard let recogniser, let voice else { throw SpeechError.notLoaded }
      adjustment.clear()
      var listener = try StreamListener(try body(call), call, recogniser, voice, adjustment: adjustment)
      try listener.run(reply)
    default: throw SpeechError.unknownOperation(call.operation)
    }
  }

  package func adjust(_ body: Data) {
    // On the reader thread nobody can be told; an adjustment that makes no sense changes nothing.
    guard let change = try? JSON.decode(ListenAdjustment.self, from: body) else { return }
    adjustment.take(change)
  }

  private func body<Body: Decodable>(_ call: Call) throws -> Body {
    do { return try call.decode(Body.self) } catch { throw WorkerError.badRequest("\(call.operation): \(error)") }
  }

  private func load(_ request: SpeechLoadRequest, _ files: [CInt]) throws {
    guard files.count == request.packs.count else { throw WorkerError.badRequest("a pack without its file") }
    recogniser = nil  // two of each at once may not fit
    voice = nil
    var models: [SpeechLoadRequest.Role: WhisperModel] = [:]
    for (pack, file) in zip(request.packs, files) {
      if pack.role == .voice {
        voice = try VoiceModel(pack.id, descriptor: file)
      } else {
        models[pack.role] = try WhisperModel(pack.id, descriptor: file, gpu: request.gpu)
      }
    }
    guard let final = models[.final] ?? models[.partial], voice != nil else { throw SpeechError.notLoaded }
    recogniser = Recogniser(final: final, partial: models[.partial] ?? final, threads: max(1, request.threads))
  }

  private func transcribe(_ request: TranscribeRequest, _ call: Call, _ reply: some ReplySink) throws {
    guard let recogniser, let voice else { throw SpeechError.notLoaded }
    guard let file = call.files.first else { throw SpeechError.unreadable("no file came with the request") }
    let reader = try SoundReader(file, format: request.format)
    voice.reset()
    var recording = Recording()
    // What was told before is passed over, and its places are counted.
    let told = Int((max(0, request.from ?? 0) * Double(Sound.rate)).rounded()) / Sound.frame
    var endpointer = Endpointer(request.endpointing, after: told)
    var report = TranscribeReport()
    var (utterance, judged) = (nil as Int?, 0)
    var (options, remark) = (request.options, nil as String?)
    var isLanguageKnown = options.language == nil

    func judge(_ samples: [Float]) throws -> [Float] {
      let known = min(max(0, told - judged), samples.count / Sound.frame)
      judged += samples.count / Sound.frame
      return [Float](repeating: 0, count: known)
        + (try voice.probabilities(Array(samples.dropFirst(known * Sound.frame))))
    }

    func act(_ events: [Endpointer.Event]) throws {
      for event in events {
        if case .began(let frame) = event { utterance = frame }
        guard case .ended(let end, _) = event, let begin = utterance else { continue }
        let frames = begin..<end
        let sound = recording.sound(frames)
        if !isLanguageKnown, let claimed = options.language, sound.count >= 2 * Sound.rate {
          isLanguageKnown = true
          if let other = try recogniser.other(than: claimed, in: sound, options, cancelled: call.cancelled) {
            options.language = other
            remark = HeardLanguage.remark(other, not: claimed)
          }
        }
        var found = try recogniser.settle(
          sound, start: Sound.seconds(begin * Sound.frame), voiced: recording.voiced(frames), options,
          cancelled: call.cancelled)
        found.transcript.remark = remark ?? found.transcript.remark
        utterance = nil
        report.pieces += 1
        report.retries += found.retries
        report.decodeMs += found.milliseconds
        try reply.event(TranscribeEvent.piece(found.transcript, seconds: Sound.seconds(end * Sound.frame)))
      }
    }

    while let samples = try reader.next() {
      if call.cancelled.isSet { throw CancellationError() }
      for probability in try recording.append(samples, judge: judge) {
        try act(endpointer.take(probability))
      }
      let lead = Sound.frames(milliseconds: request.endpointing.leadMs + request.endpointing.minimumSpeechMs) + 2
      recording.forget(before: utterance ?? recording.end - lead)
    }
    for probability in try recording.finish(judge: judge) { try act(endpointer.take(probability)) }
    try act(endpointer.finish())
    report.audioMs = Sound.seconds(recording.end * Sound.frame) * 1000
    try reply.event(TranscribeEvent.done(report))
  }
}
