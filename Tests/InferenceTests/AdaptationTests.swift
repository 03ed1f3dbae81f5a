import Foundation
import Inference
import Testing

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
