import Core
import Foundation
import Resources
import Spoken
import Synchronization
import TestSupport
import Testing

@testable import Assistant

@Suite("Dictation in the house", .enabled(if: Prepared.packs != nil, "the speech packs are not prepared"))
struct DictationTests {
  private func withPacks(_ body: (OpenHouse) async throws -> Void) async throws {
    let home = try OpenHouse()
    // A busy machine is no microphone that has gone.
    await home.house.listener.bear(silence: .seconds(3600), pause: .seconds(3600))
    try FileManager.default.linkItem(at: try #require(Prepared.packs), to: home.folders.packs)
    try await body(home)
    await home.house.close()
  }

  private func hear(_ home: OpenHouse, _ session: String, at place: Int, _ count: Int, end: Bool? = nil) async throws
    -> Int
  {
    let piece = Hear.Input(session: session, at: place, sound: Data(count: count), end: end)
    return try #require(try await home.all(Hear.self, piece).first).received
  }

  @Test("A piece that is sent again is heard once, a gap is refused, and what came is counted in the report")
  func pieces() async throws {
    try await withPacks { home in
      let session = "one"
      var report: Listen.Event?
      for try await event in home.events(Listen.self, .init(session: session, holds: true)) {
        if event.opened == true {
          #expect(try await hear(home, session, at: 0, 3200) == 3200)
          #expect(try await hear(home, session, at: 0, 3200) == 3200)
          #expect(try await hear(home, session, at: 1600, 3200) == 4800)
          let gap = await #expect(throws: AssistantError.self) { try await hear(home, session, at: 9600, 3200) }
          #expect(gap?.code == "sound_missing")
          let talking = Task {
            while true {
              _ = try await home.all(Hear.self, .init(session: session, at: 1600, sound: Data(count: 3200)))
              try await Task.sleep(for: .milliseconds(5))
            }
          }
          let other = await #expect(throws: (any Error).self) {
            for try await _ in home.events(Listen.self, .init(session: "two")) {}
          }
          #expect(other.map { RemoteError($0).code } == "microphone_in_use")
          talking.cancel()
          _ = await talking.result
          #expect(try await hear(home, session, at: 4800, 27_200, end: true) == 32_000)
        }
        if event.done != nil { report = event }
      }
      #expect(abs((report?.done?.audioMs ?? 0) - 1000) < 40)
      let late = await #expect(throws: AssistantError.self) { try await hear(home, session, at: 0, 2) }
      #expect(late?.code == "dictation_over")
    }
  }

  @Test("A dictation that is left ends, and the next one may begin")
  func left() async throws {
    try await withPacks { home in
      for _ in 0..<2 {
        for try await event in home.events(Listen.self, .init(holds: true)) where event.opened == true { break }
        // Ending is not waited for by whoever leaves.
        while await home.house.listener.isListening { try await Task.sleep(for: .milliseconds(5)) }
      }
      while await home.house.governor.state.residents.contains(where: { $0.users > 0 }) {
        try await Task.sleep(for: .milliseconds(5))
      }
      #expect(await home.house.governor.state.residents.contains { $0.id.hasPrefix("whisper") })
    }
  }

  @Test("A program that dictates without end leaves the microphone to the person, and puts nothing into what they say")
  func programs() async throws {
    try await withPacks { home in
      let key = Caller.key(id: "k", rights: [.transcribe])
      func hear(_ session: String, at place: Int, _ caller: Caller) async throws {
        let piece = Hear.Input(session: session, at: place, sound: Data(count: 3200))
        for try await _ in Hear.perform(piece, for: caller, in: home.house) {}
      }
      let (begun, begin) = AsyncStream.makeStream(of: Void.self)
      let program = Task {
        defer { begin.finish() }
        for try await event in Listen.perform(.init(session: "program"), for: key, in: home.house)
        where event.opened == true { begin.yield(()) }
      }
      for await _ in begun { break }
      try await hear("program", at: 0, key)
      var isMine = false
      for try await event in Listen.perform(.init(session: "mine"), for: .page(session: "s"), in: home.house) {
        guard event.opened == true else { continue }
        isMine = true
        let refused = await #expect(throws: AssistantError.self) { try await hear("mine", at: 0, key) }
        #expect(refused?.code == "dictation_over")
        try await hear("mine", at: 0, .page(session: "another"))
        break
      }
      #expect(isMine)
      _ = await program.result
    }
  }

  @Test("Programs that begin one dictation after the other leave the microphone to the person")
  func crowd() async throws {
    try await withPacks { home in
      await home.house.listener.bear(silence: .seconds(3600), pause: .milliseconds(50))
      let key = Caller.key(id: "k", rights: [.transcribe])
      let programs = (0..<8).map { _ in
        Task {
          while !Task.isCancelled {
            do { for try await _ in Listen.perform(.init(), for: key, in: home.house) {} } catch { continue }
          }
        }
      }
      defer { for program in programs { program.cancel() } }
      for _ in 0..<20 {
        var isMine = false
        for try await event in Listen.perform(.init(), for: .page(session: "s"), in: home.house)
        where event.opened == true {
          isMine = true
          break
        }
        #expect(isMine)
      }
    }
  }

  @Test("Hours of sound that a program has sent at once are not waited for when a person speaks")
  func unheard() async throws {
    try await withPacks { home in
      let key = Caller.key(id: "k", rights: [.transcribe])
      let (begun, begin) = AsyncStream.makeStream(of: Void.self)
      let program = Task { () -> ListenReport? in
        defer { begin.finish() }
        var report: ListenReport?
        for try await event in Listen.perform(
          .init(session: "program", rate: 1000, holds: true), for: key, in: home.house)
        {
          if event.opened == true { begin.yield(()) }
          report = event.done ?? report
        }
        return report
      }
      for await _ in begun { break }
      let hour = Data(count: 2 * 1000 * 3600)
      let sending = Task {
        let piece = Hear.Input(session: "program", at: 0, sound: hour)
        for try await _ in Hear.perform(piece, for: key, in: home.house) {}
      }
      // Where nothing can follow yet it is said how much has come.
      while true {
        let beyond = Hear.Input(session: "program", at: 1 << 50, sound: Data())
        do {
          for try await _ in Hear.perform(beyond, for: key, in: home.house) {}
        } catch AssistantError.soundMissing(expected: hour.count) { break } catch AssistantError.soundMissing {
          try await Task.sleep(for: .milliseconds(1))
        }
      }
      for try await event in Listen.perform(.init(session: "mine"), for: .page(session: "s"), in: home.house)
      where event.opened == true { break }
      let heard: ListenReport?
      do { heard = try await program.value } catch is CancellationError { heard = nil }
      #expect(heard == nil, "\(heard?.audioMs ?? 0) ms of it were heard before the person")
      _ = await sending.result
    }
  }

  @Test("While a recording is read that takes every core a command is understood")
  func beside() async throws {
    try await withPacks { home in
      let gate = AsyncStream.makeStream(of: Void.self)
      let scheduler = home.house.scheduler
      let recording = Task {
        try await scheduler.run("listening", .voice, cores: .max) { _ in for await _ in gate.stream {} }
      }
      while await scheduler.jobs.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
      let understood = Task {
        try await home.all(Understand.self, .init(text: "remind me to call Ann tomorrow at nine"))
      }
      let isOver = Mutex(false)
      let watch = Task {
        _ = await understood.result
        isOver.withLock { $0 = true }
      }
      while !isOver.withLock({ $0 }) {
        let waits = await scheduler.jobs.contains { $0.name == "a command" && $0.state == .waiting }
        guard !waits else { break }
        try await Task.sleep(for: .milliseconds(5))
      }
      let isUnderstood = isOver.withLock { $0 }
      #expect(isUnderstood, "it waits for the recording")
      gate.continuation.finish()
      let event = try #require(try await understood.value.first)
      #expect(event.explanation.contains { $0.hasPrefix("encoder ") }, "\(event.explanation)")
      await watch.value
      try await recording.value
    }
  }

  @Test("A page that is gone leaves the microphone to the next one, which it had before only while it sent sound")
  func forsaken() async throws {
    try await withPacks { home in
      await home.house.listener.bear(silence: .seconds(3600), pause: .milliseconds(50))
      let (isOpen, opened) = AsyncStream<Void>.makeStream()
      let gone = Task {
        defer { opened.finish() }
        for try await event in home.events(Listen.self, .init(session: "gone", holds: true))
        where event.opened == true {
          opened.yield()
        }
      }
      for await _ in isOpen { break }
      try await Task.sleep(for: .milliseconds(100))
      var isHeard = false
      for try await event in home.events(Listen.self, .init(session: "next", holds: true))
      where event.opened == true {
        isHeard = true
        break
      }
      #expect(isHeard)
      try await gone.value
    }
  }
}
