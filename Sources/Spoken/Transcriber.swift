import Core
package import Foundation
import Safety
package import Workers

/// The packs speech needs. Without a partial pack the final one gives the live words too.
package struct SpeechPacks: Sendable, Equatable {
  package struct Pack: Sendable, Equatable {
    package var id: String
    package var file: URL
    package init(id: String, file: URL) {
      self.id = id
      self.file = file
    }
  }
  package var final: Pack
  package var partial: Pack?
  package var voice: Pack
  package init(final: Pack, partial: Pack?, voice: Pack) {
    self.final = final
    self.partial = partial
    self.voice = voice
  }
}

/// Owns the speech worker: starts it when it is first needed, starts another when it has died, ends it when told to.
package actor Transcriber {
  package nonisolated let packs: SpeechPacks
  private let threads: Int
  private let start: @Sendable () async throws -> Worker
  private let startDecoder: @Sendable () async throws -> Worker
  private var loading: Task<Worker, any Error>?
  private var listening: Listening?

  /// What a stranger's sound file may take while it is decoded.
  private static let decoderBytes: UInt64 = 1 << 30

  /// Twelve hours of words with their times.
  private static let most = ReplyBound.bytes(64 << 20)

  /// The worker is ended when it takes more memory than `mostBytes`.
  package init(
    packs: SpeechPacks, threads: Int, mostBytes: UInt64? = nil, on host: WorkerHost = .processes,
    start: (@Sendable () async throws -> Worker)? = nil
  ) {
    self.packs = packs
    self.threads = threads
    startDecoder = {
      let seal = SealSpecification(memoryBytes: Self.decoderBytes)
      return try await host.start(.sound, seal: seal, mostBytes: Self.decoderBytes)
    }
    self.start =
      start ?? {
        try await host.start(.speech, seal: SealSpecification(memoryBytes: mostBytes), mostBytes: mostBytes)
      }
  }

  /// Loads the packs unless they are loaded; call it when the microphone is touched.
  package func load() async throws { _ = try await ready() }

  /// Ends the worker, and with it gives back its memory.
  package func unload() async {
    let loaded = loading
    loading = nil
    // A load that fails has left no worker behind.
    if let worker = try? await loaded?.value { await worker.stop() }
  }

  /// The worker's own process while one is loaded, for the governor to measure.
  package func process() async -> Int32? { await worker().flatMap { $0.isProcess ? $0.process : nil } }

  package func isLoaded() async -> Bool { await worker() != nil }

  private func worker() async -> Worker? {
    // Whoever waits for the load is told why it failed; here it is only not there.
    guard let loading, let worker = try? await loading.value, worker.isAlive else { return nil }
    return worker
  }

  /// Recognises a whole file, given as a descriptor that the caller keeps open until the end. Where the worker is ended over another
  /// recording before it has begun with this one, a fresh one recognises it.
  package func transcribe(
    _ file: CInt, _ request: TranscribeRequest = TranscribeRequest()
  ) async throws -> AsyncThrowingStream<TranscribeEvent, any Error> {
    let first = try await begin(file, request)
    return AsyncThrowingStream { continuation in
      let work = Task {
        var hasBegun = false
        do {
          do {
            for try await event in first {
              hasBegun = true
              continuation.yield(event)
            }
          } catch let error where WorkerError.isOverAnother(error) && !hasBegun {
            for try await event in try await self.begin(file, request) { continuation.yield(event) }
          }
          continuation.finish()
        } catch { continuation.finish(throwing: error) }
      }
      continuation.onTermination = { _ in work.cancel() }
    }
  }

  private func begin(
    _ file: CInt, _ request: TranscribeRequest
  ) async throws -> AsyncThrowingStream<TranscribeEvent, any Error> {
    var head = [UInt8](repeating: 0, count: 12)
    let got = pread(file, &head, head.count, 0)
    if request.format == nil, got > 0, let container = SoundContainer(head[..<got]) {
      return try await begin(file, in: container, request)
    }
    let worker = try await ready()
    return Transcriber.decoded(worker.call("transcribe", request, files: [file], most: Self.most))
  }

  /// The file is decoded in a worker of its own, whose samples go straight to the one that recognises them.
  private func begin(
    _ file: CInt, in container: SoundContainer, _ request: TranscribeRequest
  ) async throws -> AsyncThrowingStream<TranscribeEvent, any Error> {
    let worker = try await ready()
    let decoder = try await startDecoder()
    let pair = try Spawner.socketPair()
    var request = request
    request.format = .plain
    let heard: AsyncThrowingStream<TranscribeEvent, any Error>
    let decoding: AsyncThrowingStream<DecodeReport, any Error>
    do {
      // The workers have copies; one left open here would keep the end of the sound from being seen.
      defer {
        close(pair.ours)
        close(pair.theirs)
      }
      decoding = Transcriber.decoded(
        decoder.call("decode", DecodeRequest(container: container), files: [file, pair.ours]))
      heard = Transcriber.decoded(worker.call("transcribe", request, files: [pair.theirs], most: Self.most))
    }
    return AsyncThrowingStream { continuation in
      let work = Task {
        let report = Task {
          var last = DecodeReport()
          for try await report in decoding { last = report }
          return last
        }
        do {
          try await withTaskCancellationHandler {
            for try await event in heard {
              guard case .done(var done) = event else {
                continuation.yield(event)
                continue
              }
              done.damaged = try await report.value.damaged
              continuation.yield(.done(done))
            }
            _ = try await report.value
          } onCancel: {
            report.cancel()
          }
          continuation.finish()
        } catch {
          report.cancel()
          // Other sound is none the worse for it.
          let isOver = if case WorkerError.died(WorkerKind.sound.rawValue, _, _) = error { true } else { false }
          continuation.finish(throwing: isOver ? SpeechError.unreadable("it ended what decodes it") : error)
        }
        await decoder.stop()
      }
      continuation.onTermination = { _ in work.cancel() }
    }
  }

  /// Begins to listen. Sound may be fed at once; it is kept until the packs are loaded. `yields`: one that does not is begun in its
  /// place, whatever of its sound waits.
  package func listen(_ request: ListenRequest, yields: Bool = false) throws -> Listening {
    let before = listening.flatMap { $0.isOver ? nil : $0 }
    guard before == nil || before?.yields == true && !yields else { throw SpeechError.microphoneInUse }
    try request.format.validate()
    before?.cancel()
    let made = Listening(request, yields: yields) {
      // The worker hears one at a time.
      await before?.ended()
      return try await self.ready()
    }
    listening = made
    return made
  }

  private func ready() async throws -> Worker {
    if let loading {
      let worker = try await loading.value
      if worker.isAlive { return worker }
      if self.loading == loading { self.loading = nil }
      return try await ready()
    }
    let task = Task { [packs, threads, start] in
      let files = try [packs.final, packs.partial, packs.voice].compactMap { try $0?.open() }
      defer { for file in files { close(file) } }
      let worker = try await start()
      let roles: [(SpeechLoadRequest.Role, SpeechPacks.Pack?)] = [
        (.final, packs.final), (.partial, packs.partial), (.voice, packs.voice),
      ]
      let request = SpeechLoadRequest(
        packs: roles.compactMap { role, pack in pack.map { SpeechLoadRequest.Pack(role, id: $0.id) } }, threads: threads
      )
      do { try await worker.finish("load", request, files: files) } catch {
        await worker.stop()
        throw error
      }
      return worker
    }
    loading = task
    do { return try await task.value } catch {
      if loading == task { loading = nil }
      throw error
    }
  }

  static func decoded<Event: Decodable & Sendable>(
    _ replies: AsyncThrowingStream<CallReply, any Error>
  ) -> AsyncThrowingStream<Event, any Error> {
    AsyncThrowingStream { continuation in
      let work = Task {
        do {
          for try await case .event(let data) in replies { continuation.yield(try JSON.decode(Event.self, from: data)) }
          continuation.finish()
        } catch { continuation.finish(throwing: error) }
      }
      continuation.onTermination = { _ in work.cancel() }
    }
  }
}

extension SpeechPacks.Pack {
  fileprivate func open() throws -> CInt {
    let descriptor = Foundation.open(file.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SpeechError.modelBroken(id) }
    return descriptor
  }
}
