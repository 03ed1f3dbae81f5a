import Foundation
import Inference
import Testing
import Workers

@testable import TextEngine

@Suite("Drafting from the text")
struct LookupTests {
  @Test("The longest earlier copy of the end is found, the latest among equals")
  func places() {
    #expect(Lookup.earlierPlace(in: [1, 2, 3, 9, 1, 2, 3])?.start == 3)
    #expect(Lookup.earlierPlace(in: [1, 2, 3, 7, 2, 3, 8, 1, 2, 3])?.start == 3)
    #expect(Lookup.earlierPlace(in: [2, 3, 7, 2, 3, 8, 2, 3])?.start == 5)
    #expect(Lookup.earlierPlace(in: [1, 2, 3, 4]) == nil)
    #expect(Lookup.earlierPlace(in: []) == nil)
  }

  @Test("Nothing is drafted beyond the room")
  func room() {
    var lookup = Lookup()
    let text: [TokenID] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1, 2, 3, 4, 5, 6, 7]
    #expect(lookup.draft(after: text, room: 0).isEmpty)
    #expect(lookup.draft(after: text, room: 2).count <= 2)
  }

  @Test("Drafts that keep failing stop being made")
  func givesUp() {
    var lookup = Lookup()
    let text: [TokenID] = [1, 2, 3, 4, 5, 6, 7, 8, 1, 2]
    var drafts = 0
    for _ in 0..<200 {
      let draft = lookup.draft(after: text, room: 16)
      if !draft.isEmpty { drafts += 1 }
      lookup.learn(drafted: draft.count, accepted: 0, milliseconds: draft.isEmpty ? 5 : 15)
    }
    #expect(drafts < 30)
  }

  @Test("Drafts that keep standing grow long where batches are cheap, and stay away where they are not")
  func adapts() {
    let text: [TokenID] = Array(1...40) + Array(1...12)
    var cheap = Lookup()
    var dear = Lookup()
    for _ in 0..<20 {
      let count = cheap.draft(after: text, room: 16).count
      cheap.learn(drafted: count, accepted: count, milliseconds: 5 + Double(count) * 0.5)
      let other = dear.draft(after: text, room: 16).count
      dear.learn(drafted: other, accepted: other, milliseconds: 5 * Double(other + 1) * 1.2)
    }
    #expect(cheap.draft(after: text, room: 16).count >= 12)
    #expect(dear.draft(after: text, room: 16).isEmpty)
  }
}

@Suite("Threads among other work")
struct TokenThreadsTests {
  /// Feeds tokens that take what `cost` says for the way they are computed; returns how many of each stretch were alone.
  private func run(_ threads: inout TokenThreads, _ count: Int, together: Double, alone: Double) -> Int {
    (0..<count).count { _ in
      let isAlone = threads.isAlone
      _ = threads.isAlone(after: isAlone ? alone : together)
      return isAlone
    }
  }

  @Test("When others take the processors one thread soon goes on alone, and all together again when they are gone")
  func yields() {
    var threads = TokenThreads(threads: 2)
    #expect(run(&threads, 50, together: 7, alone: 8.5) == 0)
    #expect(run(&threads, 100, together: 25, alone: 10) >= 90)
    #expect(threads.isAlone)
    _ = run(&threads, TokenThreads.rest + 10, together: 7, alone: 8.5)
    #expect(!threads.isAlone)
  }

  @Test("On a machine that is busy from the start one thread is found to be faster")
  func busyFromTheStart() {
    var threads = TokenThreads(threads: 2)
    #expect(run(&threads, 200, together: 25, alone: 10) >= 120)
  }

  @Test("On a quiet machine trials of one thread are few and short, whatever they cost")
  func staysTogether() {
    for (number, alone) in [(2, 8.0), (4, 21), (8, 45)] {
      var threads = TokenThreads(threads: number)
      let wasted = Double(run(&threads, 4000, together: 7, alone: alone)) * (alone - 7)
      #expect(wasted < 0.015 * 4000 * 7, "\(number) threads")
    }
  }

  @Test("One slow token, or slowly growing ones, change nothing")
  func stays() {
    var threads = TokenThreads(threads: 8)
    let times = (0..<900).map { 7 + Double($0) * 0.005 } + [500, 12]
    #expect(!times.map { threads.isAlone(after: $0) }.contains(true))
  }
}

@Suite("Threads that stall")
struct StallWatchTests {
  private static func reading(_ passed: Double, _ spent: Double) -> StallWatch.Reading {
    .init(passed: passed, spent: spent)
  }

  /// What passes of a computation by so many threads, what is spent on it, and whether it has stalled.
  @Test(
    "A computation stalls where its threads get well under half of their cores",
    arguments: [
      (2, 0.05, 0.0, false),  // too early to say
      (2, 0.12, 0.2, false), (2, 0.12, 0.12, false), (2, 0.12, 0.08, true), (2, 1, 1.9, false), (2, 5, 0.2, true),
      (8, 0.12, 0.6, false), (8, 0.12, 0.3, true),
    ])
  func stalls(threads: Int, passed: Double, spent: Double, expected: Bool) {
    var watch = StallWatch()
    watch.begin(at: Self.reading(100, 7))
    let isStalled = watch.isStalled(at: Self.reading(100 + passed, 7 + spent), threads: threads)
    #expect(isStalled == expected)
    #expect(watch.isResting(at: 100 + passed) == expected)
  }

  @Test("What went well for seconds does not hide a stall")
  func lately() {
    var watch = StallWatch()
    watch.begin(at: Self.reading(0, 0))
    let early = (1...50).map { watch.isStalled(at: Self.reading(Double($0) * 0.1, Double($0) * 0.2), threads: 2) }
    let late = watch.isStalled(at: Self.reading(5.6, 10.05), threads: 2)
    #expect(!early.contains(true) && late)
  }

  @Test("Tokens too short to tell anything tell it together, however long nothing is computed between them")
  func tokens() {
    for (spent, expected) in [(0.004, true), (0.015, false)] {
      var watch = StallWatch()
      let told = (0..<20).map { number in
        let at = Double(number)
        watch.begin(at: Self.reading(at, at * spent))
        return watch.isStalled(at: Self.reading(at + 0.008, at * spent + spent), threads: 2)
      }
      #expect(told.contains(true) == expected)
      #expect(!told.prefix(10).contains(true))
    }
  }

  @Test("One thread goes on for longer where the others stall each time they are tried")
  func rests() {
    var watch = StallWatch()
    func stall(at passed: Double) -> Double {
      watch.begin(at: Self.reading(passed, 0))
      guard watch.isStalled(at: Self.reading(passed + 0.125, 0), threads: 2) else { return 0 }
      var until = passed + 0.125
      while watch.isResting(at: until) { until += 0.5 }
      return until - passed - 0.125
    }
    var passed = 0.0
    let rests = (0..<5).map { _ in
      let rest = stall(at: passed)
      passed += 0.125 + rest
      return rest
    }
    #expect(rests == [1, 2, 4, 4, 4])
    #expect(stall(at: passed + 100) == 1)
  }

  @Test("What stalls is begun again by one thread, and comes to the very same", .needsChatPack)
  func begunAgain() throws {
    let file = try FileHandle(forReadingFrom: TestPacks.chat)
    defer { withExtendedLifetime(file) {} }
    _ = TextEngine()  // starts llama.cpp
    let model = try LlamaModel(
      PackFile(descriptor: file.fileDescriptor), card: nil, backend: .init(), cancelled: .init(), progress: { _ in })
    let text = String(repeating: "The pump's filter is cleaned once a month. ", count: 12)
    let tokens = model.vocabulary.untrusted(text, continuing: true)
    let items = tokens.enumerated().map { LlamaContext.Item(token: $1, position: $0, wanted: $0 == tokens.count - 1) }
    var told: [[Float]] = []
    for stalls in [false, true] {
      let context = try LlamaContext(model, request: LoadRequest(contextTokens: 1024, threads: 2))
      var looks = 0
      context.reading = {
        looks += 1
        return Self.reading(0.1 * Double(looks), stalls ? 0 : 0.2 * Double(looks))
      }
      try context.evaluate(items, reading: true, cancelled: CancelFlag())
      told.append(try Array(context.logits(at: tokens.count - 1)))
      #expect(context.end(of: 0) == tokens.count)
      let after = looks
      try context.evaluate(
        [.init(token: tokens[0], position: tokens.count, wanted: true)], cancelled: CancelFlag())
      told.append(try Array(context.logits(at: 0)))
      // While one thread goes on nobody looks at the clock but to see whether that is over.
      #expect(stalls == (looks == after + 1))
    }
    #expect(told[0] == told[2] && told[1] == told[3])
  }
}

@Suite("Choosing threads", .serialized)
struct ThreadTuningTests {
  @Test("More threads are taken only where they earn their place")
  func fewest() {
    #expect(ThreadTuning.fewest([(1, 10), (2, 9.8), (4, 9.7)]) == 1)
    #expect(ThreadTuning.fewest([(1, 10), (2, 5.2), (4, 5)]) == 2)
    #expect(ThreadTuning.fewest([(1, 10), (2, 60)]) == 1)
    #expect(ThreadTuning.candidates(processors: 1) == [1])
    #expect(ThreadTuning.candidates(processors: 2) == [1, 2])
    #expect(ThreadTuning.candidates(processors: 16) == [1, 8, 12, 16])
  }

  @Test("Left to choose, a loaded model names a number this machine has", .needsChatPack, .needsEmbedder)
  func chosen() throws {
    let processors = ProcessInfo.processInfo.activeProcessorCount
    let chat = try EngineSession(TestPacks.chat, context: 256, threads: nil)
    #expect((1...processors).contains(try #require(chat.model?.threads)))
    #expect(try !chat.generate(.raw("Hello", tokens: 2)).text.isEmpty)
    let embedder = try EngineSession(TestPacks.embedder, context: 256, threads: nil) { $0.embeddings = true }
    #expect((1...processors).contains(try #require(embedder.model?.threads)))
    #expect(try embedder.call("embed", EmbedRequest(["text"])).pieces.count == 1)
  }
}
