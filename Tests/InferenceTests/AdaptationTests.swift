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
    let text: [Token] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1, 2, 3, 4, 5, 6, 7]
    #expect(lookup.draft(after: text, room: 0).isEmpty)
    #expect(lookup.draft(after: text, room: 2).count <= 2)
  }

  @Test("Drafts that keep failing stop being made")
  func givesUp() {
    var lookup = Lookup()
    let text: [Token] = [1, 2, 3, 4, 5, 6, 7, 8, 1, 2]
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
    let text: [Token] = Array(1...40) + Array(1...12)
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
struct ThreadYieldTests {
  @Test("Tokens that suddenly take far longer leave one thread for a while, and then both are tried again")
  func yields() {
    var yield = ThreadYield()
    let quiet = (0..<50).map { _ in yield.isAlone(after: 7) }
    #expect(!quiet.contains(true))
    let crowded = (0..<ThreadYield.patience).map { _ in yield.isAlone(after: 300) }
    #expect(crowded == [false, false, true])
    var alone = 0
    while yield.isAlone(after: 14) { alone += 1 }
    #expect(alone == ThreadYield.rest - 1)
    let after = yield.isAlone(after: 7)
    #expect(!after)
  }

  @Test("One slow token, or slowly growing ones, change nothing")
  func stays() {
    var yield = ThreadYield()
    let times = (0..<2000).map { 7 + Double($0) * 0.005 } + [500, 17]
    let alone = times.map { yield.isAlone(after: $0) }
    #expect(!alone.contains(true))
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
