import Foundation
import Inference
import Testing
import TextEngine
import Workers

@Suite("Stopping", .serialized, .needsChatPack)
struct CancellationTests {
  @Test("A load stops, and the engine can load again")
  func load() throws {
    let session = EngineSession()
    let cancelled = CancelFlag()
    let file = try FileHandle(forReadingFrom: TestPacks.chat)
    let stopping = Sink { _ in cancelled.set() }
    #expect(throws: CancellationError.self) {
      try session.call(
        "load", LoadRequest(contextTokens: 256, threads: 1), files: [file.fileDescriptor], cancelled: cancelled,
        sink: stopping)
    }
    #expect(throws: EngineError.notLoaded) { try session.generate(.ask("Hello?")) }
    try session.load(TestPacks.chat, LoadRequest(contextTokens: 256, threads: 1))
    #expect(try !session.generate(.raw("Hello", tokens: 3)).text.isEmpty)
  }

  @Test("An answer stops between tokens, and the next request reuses what was computed")
  func generation() throws {
    let session = try EngineSession(TestPacks.chat)
    let cancelled = CancelFlag()
    let sink = Sink { if $0.pieces.count == 3 { cancelled.set() } }
    #expect(throws: CancellationError.self) {
      try session.generate(.raw("Once upon a time, there was a", tokens: 200), cancelled: cancelled, sink: sink)
    }
    #expect(sink.pieces.count <= 4)
    let after = try session.generate(.raw("Once upon a time, there was a", tokens: 10))
    let fresh = try EngineSession(TestPacks.chat).generate(.raw("Once upon a time, there was a", tokens: 10))
    #expect(after.prompt.reusedTokens == after.prompt.promptTokens)
    #expect(after.text == fresh.text)
  }

  @Test("A prompt stops while it is read, and the finished part is kept")
  func prefill() throws {
    let session = try EngineSession(TestPacks.chat, context: 2048)
    let cancelled = CancelFlag()
    let prompt = (0..<220).map { "line \($0) of it" }.joined(separator: ", ")
    // A thread of its own plays the reader thread.
    let reader = Thread {
      usleep(150_000)
      cancelled.set()
    }
    reader.start()
    do {
      let answer = try session.generate(.raw(prompt, tokens: 1), cancelled: cancelled)
      // A machine fast enough to finish first has nothing to stop; the state is then whole.
      #expect(answer.prompt.promptTokens > 1000)
    } catch is CancellationError {}
    let after = try session.generate(.raw(prompt, tokens: 4))
    let fresh = try EngineSession(TestPacks.chat, context: 2048).generate(.raw(prompt, tokens: 4))
    #expect(after.text == fresh.text)
  }

  @Test("A call cancelled before it begins computes nothing")
  func atOnce() throws {
    let session = try EngineSession(TestPacks.chat, context: 256)
    let cancelled = CancelFlag()
    cancelled.set()
    let sink = Sink()
    #expect(throws: CancellationError.self) {
      try session.generate(.raw("Hello", tokens: 3), cancelled: cancelled, sink: sink)
    }
    #expect(sink.events.isEmpty && sink.pieces.isEmpty)
  }

  @Test("A shorter maximum sent while the answer runs ends it early")
  func adjust() throws {
    let session = try EngineSession(TestPacks.chat, context: 256)
    let engine = session.engine
    let sink = Sink { if $0.pieces.count == 2 { engine.adjust(Data(#"{"maximumTokens": 4}"#.utf8)) } }
    let answer = try session.generate(.raw("Once upon a time, there was a", tokens: 100), sink: sink)
    #expect(answer.report.finish == .length)
    #expect(answer.report.generatedTokens <= 20)
  }
}
