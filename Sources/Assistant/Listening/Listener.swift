import Core
import Foundation
import Inference
import Models
import Resources
import Spoken
import Workers

/// Who listens: one speech worker, admitted and measured by the governor like every other pack, for recordings and for the
/// dictations under way.
actor Listener {
  private let packs: PackStore
  private let models: LoadedPacks
  private let settings: CurrentSettings
  private let governor: Governor
  private let scheduler: Scheduler
  private let claims: Claims
  private let host: WorkerHost
  private var transcriber: Transcriber?
  /// The dictations under way, by session, each with who began it.
  private var hearings: [String: (hearing: Hearing, caller: Caller)] = [:]
  /// A microphone that sends nothing for so long has gone.
  private var longestSilence = Duration.seconds(15)
  /// After so long without any sound somebody else may have the microphone.
  private var longestPause = Duration.milliseconds(1500)

  init(
    _ packs: PackStore, _ models: LoadedPacks, _ settings: CurrentSettings, _ governor: Governor,
    _ scheduler: Scheduler,
    _ claims: Claims, on host: WorkerHost
  ) {
    (self.packs, self.models, self.settings, self.governor) = (packs, models, settings, governor)
    (self.scheduler, self.claims, self.host) = (scheduler, claims, host)
  }

  /// Ends the worker.
  func close() async { await transcriber?.unload() }

  /// The speech packs that are installed: the best for the words that stay, the smallest for the words that come and go. Of
  /// two that are the same model the smaller file is the faster one.
  private func speechPacks() throws -> SpeechPacks {
    let installed = try packs.list().filter { $0.installed != nil }
    let speech = installed.filter { $0.pack.kind == .speech && $0.fit.fits }.map(\.pack)
    let best = speech.max { ($0.parameters, -$0.bytes) < ($1.parameters, -$1.bytes) }
    guard let best, let voice = installed.first(where: { $0.pack.kind == .vad }) else {
      throw AssistantError.noSpeechPack
    }
    func file(_ pack: Pack) throws -> SpeechPacks.Pack {
      SpeechPacks.Pack(id: pack.id, file: try packs.weights(of: pack.id))
    }
    let small = speech.filter { $0.family != best.family }.min {
      ($0.parameters, $0.bytes) < ($1.parameters, $1.bytes)
    }
    return SpeechPacks(final: try file(best), partial: try small.map(file), voice: try file(voice.pack))
  }

  /// Works with the speech worker, which stays loaded until it has been idle for long enough or has to make room.
  private func hearing<Value: Sendable>(
    _ work: @Sendable (Transcriber, _ threads: Int) async throws -> Value
  ) async throws -> Value {
    let wanted = try speechPacks()
    try await check(wanted)
    if transcriber.map({ $0.packs != wanted }) == true { await endHearing() }
    let footprint = try footprint(of: wanted)
    // More than four make a sentence no faster.
    let threads = settings.now.threads ?? min(4, Device.current.cores)
    let transcriber =
      self.transcriber
      ?? Transcriber(packs: wanted, threads: threads, mostBytes: TextModel.mostBytes(for: footprint), on: host)
    self.transcriber = transcriber
    if await !transcriber.isLoaded() { try await governor.admit(wanted.final.id, bytes: footprint) }
    return try await governor.during { try await work(transcriber, threads) }
  }

  /// Loading begins at once and is not waited for: what is said meanwhile is kept.
  private static func loaded<Value: Sendable>(
    _ transcriber: Transcriber, _ governor: Governor, _ work: @Sendable () async throws -> Value
  ) async throws -> Value {
    let id = transcriber.packs.final.id
    let loading = Task {
      do {
        try await transcriber.load()
        await governor.loaded(id, process: transcriber.process()) { _ in await transcriber.unload() }
      } catch {
        await governor.unloaded(id)
        throw error
      }
    }
    return try await governor.using(id) {
      do {
        let value = try await work()
        try await loading.value
        return value
      } catch {
        loading.cancel()
        throw error
      }
    }
  }

  /// Packs whose files are not what was installed hear nothing, not even where they were loaded.
  private func check(_ wanted: SpeechPacks) async throws {
    for id in [wanted.final.id, wanted.partial?.id, wanted.voice.id].compactMap(\.self) {
      let claim = "pack \(id)"
      try await claims.hold(claim)
      defer { claims.release(claim) }
      do { try await packs.check(id) } catch {
        await endHearing()
        throw error
      }
    }
  }

  private func endHearing() async {
    guard let old = transcriber else { return }
    transcriber = nil
    await old.unload()
    await governor.unloaded(old.packs.final.id)
  }

  private func footprint(of packs: SpeechPacks) throws -> UInt64 {
    let ids = [packs.final.id, packs.partial?.id, packs.voice.id].compactMap(\.self)
    return try ids.reduce(0) { try $0 + UInt64(max(0, self.packs.status(of: $1).fit.footprintBytes)) }
  }

  // MARK: Recordings

  func transcribe(_ input: Transcribe.Input) async throws -> Transcribe.Event {
    let file: RegularFile
    do { file = try await waitingForDisk { _ in try RegularFile(input.path) } } catch FileError.missing {
      throw ImportError.notFound(input.path)
    }
    defer { withExtendedLifetime(file) {} }
    var options = SpeechOptions(settings.now)
    if let language = input.language { options.language = language == "auto" ? nil : language }
    if let vocabulary = input.vocabulary { options.vocabulary += vocabulary }
    let packs = try speechPacks()
    if let asked = input.pack {
      guard asked == packs.final.id || asked == packs.partial?.id else { throw PackError.notInstalled(asked) }
      options.fast = asked == packs.partial?.id
    } else {
      options.fast = await governor.limits(settings.now.mode).speechPack.value == .fastest
    }
    let recording = RecordingSoFar(TranscribeRequest(options))
    // It waits for an answer that is being written, and is cut short for whoever speaks.
    let report = try await hearing { [scheduler, governor] transcriber, threads in
      try await scheduler.runAnew("listening", .voice, cores: threads) {
        try await Self.loaded(transcriber, governor) {
          try await recording.goOn(file.descriptor, with: transcriber)
        }
      }
    }
    let all = SpeechTranscript.joined(await recording.pieces)
    return Transcribe.Event(
      file: input.path, text: all.text, language: all.language, confidence: all.confidence,
      allRight: Sureness.allRight(all.words), words: all.words.map(SpokenWord.init),
      timings: .init(audioMs: report.audioMs, decodeMs: report.decodeMs), pack: all.pack,
      remark: all.remark ?? damage(report),
      subtitles: Subtitles.srt(Subtitles.cues(all.words)))
  }

  private func damage(_ report: TranscribeReport) -> String? {
    guard report.damaged > 0 else { return nil }
    return "the file is damaged: \(report.damaged) pieces of its sound could not be decoded and are missing"
  }

  // MARK: Dictation

  func listen(_ input: Listen.Input, _ emit: @escaping @Sendable (Listen.Event) -> Void) async throws {
    guard hearings[input.session] == nil else { throw SpeechError.microphoneInUse }
    // A page that was closed or loaded again does not keep the microphone from its successor, and no program from the person.
    let yields = !Caller.asking.isPerson
    for (hearing, other) in hearings.values where yields || other.isPerson {
      if try await !hearing.isHeard(within: longestPause) { await hearing.leave() }
    }
    var request = ListenRequest(settings.now)
    if let rate = input.rate { request.format = PCMFormat(rate: rate, channels: 1, encoding: .signed16) }
    if let language = input.language { request.options.language = language == "auto" ? nil : language }
    if input.holds == true { request.endpointing.automaticStopMs = nil }
    let mode = settings.now.mode
    let bearable = await governor.limits(mode).forHearing
    request.partialIntervalMs = bearable.intervalMs
    request.options.fast = bearable.isFast
    if !bearable.notes.isEmpty { emit(Listen.Event(limits: bearable.notes)) }

    try await speaking { [request, governor] transcriber in
      let listening = try await transcriber.listen(request, yields: yields)
      let hearing = await Hearing(listening, longestSilence: self.longestSilence)
      await self.keep(hearing, for: input.session)
      emit(Listen.Event(opened: true))
      do {
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask {
            for try await event in listening.events { emit(Listen.Event(event)) }
          }
          group.addTask { try await hearing.endWhenForgotten() }
          group.addTask {
            for await _ in await governor.changes() {
              let now = await governor.limits(mode).forHearing
              listening.adjust(ListenAdjustment(partialIntervalMs: now.intervalMs, fast: now.isFast))
              emit(Listen.Event(limits: now.notes))
            }
          }
          try await group.next()
          group.cancelAll()
        }
      } catch {
        await self.end(listening, input.session)
        throw error
      }
      await self.end(listening, input.session)
    }
  }

  /// A person who speaks waits for nobody.
  func speaking(_ work: @Sendable (Transcriber) async throws -> Void) async throws {
    try await hearing { [scheduler, governor] transcriber, threads in
      try await scheduler.run("listening", .voice, cores: threads, atOnce: true) { _ in
        try await Self.loaded(transcriber, governor) { try await work(transcriber) }
      }
    }
  }

  /// The next dictation may begin when this returns.
  private func end(_ listening: Listening, _ session: String) async {
    listening.cancel()
    await listening.ended()
    await keep(nil, for: session)
  }

  func hear(_ input: Hear.Input) async throws -> Hear.Event {
    guard let (hearing, owner) = hearings[input.session], Caller.asking.isSameParty(as: owner) else {
      throw AssistantError.notListening
    }
    let received = try await hearing.take(input.sound, at: input.at)
    if input.end == true { await hearing.finish() }
    return Hear.Event(received: received)
  }

  private func keep(_ hearing: Hearing?, for session: String) async {
    hearings[session] = hearing.map { (hearing: $0, caller: Caller.asking) }
    await models.hears(hearing, from: session)
  }

  var isListening: Bool { !hearings.isEmpty }

  func bear(silence: Duration, pause: Duration) { (longestSilence, longestPause) = (silence, pause) }
}

extension Limits {
  /// What they mean for a dictation.
  fileprivate var forHearing: (intervalMs: Int, isFast: Bool, notes: [LimitNote]) {
    (
      partialIntervalMs.value, speechPack.value == .fastest,
      all.filter { $0.inForce && ["partial_interval_ms", "speech_pack"].contains($0.what) }.map(LimitNote.init)
    )
  }
}
