public import Foundation
public import LiberaKit
public import Observation

/// The words of a dictation as they settle.
public struct HeardWords: Sendable, Equatable {
  public private(set) var settled: [Utterance] = []
  public private(set) var confirmed = ""
  /// These may still change.
  public private(set) var tail = ""

  public init() {}

  public mutating func take(_ event: DictationEvent) {
    switch event {
    case .partial(_, let words, let open): (confirmed, tail) = (words, open)
    case .final(let utterance):
      settled.append(utterance)
      (confirmed, tail) = ("", "")
    case .opened, .limits, .speech, .stopped, .done: break
    }
  }

  public var text: String {
    (settled.map(\.text) + [confirmed, tail]).filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// The least sure of what has settled; nil while nothing has.
  public var recognition: Double? { settled.map(\.allRight).min() }
}

/// Push to talk and live words. The program gives it the microphone's sound.
@MainActor @Observable
public final class VoiceScreen {
  public enum Stage: Sendable, Equatable {
    case idle
    /// The microphone is not open yet.
    case opening
    case listening
    /// No more sound comes; the last words settle.
    case settling
    case done
    /// The system took the microphone (a call, another route): what was said until then stays.
    case interrupted
    case failed(LiberaError)
  }

  private let libera: Libera
  public private(set) var stage = Stage.idle
  public private(set) var heard = HeardWords()
  public private(set) var limits: [LimitNote] = []
  /// How loud the last sound was, the latest last: what a waveform shows.
  public private(set) var levels: [Double] = []
  /// How long it has listened.
  public private(set) var seconds = 0.0
  /// What is being read aloud would be heard as somebody's words.
  public var aloud: ReadingAloud?
  @ObservationIgnored private var rate = 16_000
  @ObservationIgnored private var capturing: Task<Void, Never>?
  @ObservationIgnored private var dictation: (any SpokenInput)?
  @ObservationIgnored private var listening: Task<Void, Never>?

  /// The system hears, as no pack for speech is here.
  public private(set) var isHeardBySystem = false
  private let ear: (any SystemEar)?

  /// - Parameter ear: Who hears where no pack for speech is installed.
  public init(_ libera: Libera, ear: (any SystemEar)? = nil) { (self.libera, self.ear) = (libera, ear) }

  public var isListening: Bool { stage == .opening || stage == .listening }

  /// - Parameters:
  ///   - rate: Samples a second of what `hear` will be given.
  ///   - holds: A button is held down: silence does not end it.
  public func begin(rate: Int, holds: Bool = false) {
    begin(libera.listen(rate: rate, holds: holds), rate: rate)
  }

  private func begin(_ dictation: any SpokenInput, rate: Int) {
    guard !isListening, stage != .settling else { return }
    isHeardBySystem = dictation is SystemDictation
    (stage, heard, limits) = (.opening, HeardWords(), [])
    (levels, seconds, self.rate) = ([], 0, rate)
    self.dictation = dictation
    listening = Task {
      do {
        for try await event in dictation.events { self.take(event) }
        if self.isListening || self.stage == .settling { self.stage = .done }
      } catch is CancellationError {
        if self.isListening || self.stage == .settling { self.stage = .idle }
      } catch { self.stage = .failed(LiberaError(telling: error)) }
      self.dictation = nil
      // Nobody hears any more, also where no further sound comes.
      self.capturing?.cancel()
    }
  }

  private func take(_ event: DictationEvent) {
    switch event {
    case .opened: if stage == .opening { stage = .listening }
    case .limits(let notes): limits = notes
    case .stopped: if isListening { stage = .settling }
    default: heard.take(event)
    }
  }

  /// Sound from the microphone: 16-bit little-endian samples, one channel.
  public func hear(_ sound: Data) async {
    guard isListening, let dictation else { return }
    levels = (levels + [SoundLevel.of(sound)]).suffix(60)
    seconds += Double(sound.count / 2) / Double(rate)
    do { try await dictation.hear(sound) } catch {
      // Sound that comes after the end is nobody's; any other error ends the events too, which say so.
      return
    }
  }

  /// Opens the microphone and listens through it, until `finish`, an interruption, or a silence.
  public func listen(through microphone: any Microphone, holds: Bool = false) {
    guard !isListening, stage != .settling, capturing == nil else { return }
    stage = .opening
    capturing = Task {
      do {
        await self.aloud?.stop()
        let open = try await microphone.open()
        let input = try await self.input(rate: open.rate, holds: holds)
        // Let go before the microphone was open.
        if self.stage == .opening {
          self.stage = .idle
          self.begin(input, rate: open.rate)
          await self.take(open.events)
        }
      } catch { self.stage = .failed(LiberaError(telling: error)) }
      self.capturing = nil
    }
  }

  /// Our own packs where they are; else the system, where it hears the language; else our own say what is missing.
  private func input(rate: Int, holds: Bool) async throws -> any SpokenInput {
    let installed = try await libera.packs.list().filter { $0.isInstalled && $0.fits }
    let hasPacks = installed.contains { $0.kind == .speech } && installed.contains { $0.kind == .voice }
    let settings = try await libera.settings.current()
    let own = Locale.current.language.languageCode?.identifier ?? "en"
    let language = settings.speechLanguage == "auto" ? own : settings.speechLanguage
    guard !hasPacks, let ear, await ear.hears(language) else { return libera.listen(rate: rate, holds: holds) }
    return SystemDictation(
      try await ear.open(language), rate: rate, language: language,
      stopsAfterMs: holds ? nil : settings.automaticStopMs)
  }

  private func take(_ events: AsyncStream<OpenMicrophone.Event>) async {
    for await event in events {
      guard isListening else { return }
      switch event {
      case .sound(let sound): await hear(sound)
      case .interrupted: await interrupt()
      }
    }
    await end()
  }

  /// The button was let go, or tapped again.
  public func finish() async {
    guard isListening else { return }
    capturing?.cancel()
    await end()
  }

  /// No more sound comes. Where the microphone itself has ended, the task that took its sound tells so and is not to be cancelled.
  private func end() async {
    guard isListening else { return }
    guard dictation != nil else { return stage = .idle }
    stage = .settling
    await close()
  }

  /// The system interrupts: a call, headphones that were pulled out.
  public func interrupt() async {
    guard isListening else { return }
    stage = .interrupted
    await close()
  }

  private func close() async {
    do { try await dictation?.finish() } catch {
      // It may have ended by itself in this moment: its events tell how.
      let error = LiberaError(telling: error)
      if error.code != "dictation_over" { stage = .failed(error) }
    }
  }

  /// Leaves at once; nothing of it is kept.
  public func cancel() {
    capturing?.cancel()
    listening?.cancel()
    stage = .idle
  }

  public func settled() async {
    await capturing?.value
    await listening?.value
  }
}
