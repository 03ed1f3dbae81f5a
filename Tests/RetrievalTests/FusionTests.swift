import Testing

@testable import Retrieval

@Suite("Fusing, thinning, correcting")
struct FusionTests {
  @Test("What both stages find comes before what one finds")
  func ranks() {
    let lexical = Ranking([(id: 1, score: 9), (id: 2, score: 8), (id: 3, score: 7)])
    let dense = Ranking([(id: 4, score: 0.9), (id: 2, score: 0.8), (id: 5, score: 0.7)])
    for fusion in [Fusion.ranks(k: 60, lexicalWeight: 0.5), .scores(lexicalWeight: 0.5)] {
      let fused = fusion.fuse(lexical: lexical, dense: dense)
      #expect(fused.entries.first?.id == 2 || fusion == .scores(lexicalWeight: 0.5))
      #expect(Set(fused.entries.map(\.id)) == [1, 2, 3, 4, 5])
    }
    let fused = Fusion.ranks(k: 60, lexicalWeight: 0.5).fuse(lexical: lexical, dense: dense)
    #expect(fused.entries.map(\.id) == [2, 1, 4, 3, 5])
  }

  @Test(
    "An empty stage leaves the other's order",
    arguments: [Fusion.ranks(k: 20, lexicalWeight: 0.3), .scores(lexicalWeight: 0.3)])
  func empty(fusion: Fusion) {
    let list = Ranking([(id: 7, score: 3), (id: 8, score: 2), (id: 9, score: 1)])
    #expect(fusion.fuse(lexical: list, dense: Ranking([])).entries.map(\.id) == [7, 8, 9])
    #expect(fusion.fuse(lexical: Ranking([]), dense: list).entries.map(\.id) == [7, 8, 9])
    #expect(fusion.fuse(lexical: Ranking([]), dense: Ranking([])).entries.isEmpty)
  }

  @Test("Passages that repeat each other give way to what is new")
  func diversity() {
    // 0 and 1 say the same; 2 is a little less relevant and new.
    func likeness(_ a: Int, _ b: Int) -> Double { Set([a, b]) == [0, 1] ? 1 : 0 }
    #expect(Diversity.order(relevance: [1, 0.95, 0.8], limit: 2, weight: 0.7, likeness: likeness) == [0, 2])
    #expect(Diversity.order(relevance: [1, 0.95, 0.8], limit: 2, weight: 1, likeness: likeness) == [0, 1])
    #expect(Diversity.order(relevance: [], limit: 2, weight: 0.7, likeness: likeness).isEmpty)
  }

  @Test(
    "A slip of the hand is one step",
    arguments: [
      ("boundary", "bondary", 1), ("boundary", "boundaryy", 1), ("boundary", "buondary", 1),
      ("boundary", "boundery", 1),
      ("layer", "layer", 0), ("wing", "swan", 3), ("", "ab", 2), ("größe", "grösse", 2),
    ])
  func slips(first: String, second: String, distance: Int) {
    #expect(Typos.distance(first, second, limit: 3) == distance)
  }

  @Test("A word is corrected to the nearest, then commonest, and a short or numbered word is left alone")
  func corrections() {
    let vocabulary = [
      (word: "boundary", chunks: 9), (word: "boundry", chunks: 1), (word: "bound", chunks: 50),
      (word: "cat", chunks: 5),
    ]
    #expect(Typos.corrections(of: "bounday", in: vocabulary).first == "boundary")
    #expect(Typos.corrections(of: "car", in: vocabulary).isEmpty)
    #expect(Typos.corrections(of: "bou9dary", in: vocabulary).isEmpty)
  }

  @Test("A question is taken apart into words, phrases and names")
  func question() {
    #expect(Question("What is the rent of „Haus am See“ in 2024?").phrases == ["Haus am See"])
    #expect(Question("What is the rent?").words == ["rent"])
    #expect(Question("To be or not to be").words == ["to", "be", "or", "not"])
    #expect(Question("why does sqlite3_step() fail with E-4711, v2.1?").names == ["sqlite3_step", "E-4711", "v2.1"])
    // A year stands in any text, and within dates in one piece with the day.
    #expect(Question("What did room 214 cost for 12 nights in May 2024?").names == ["214"])
    #expect(Question("the dog's \"tail").words == ["dog", "s", "tail"])
    #expect(Question("").expression() == nil)
    #expect(Question("\"\" ***").expression() == nil)
    #expect(
      Question("\"boundary layer\" flow").expression() == "(\"boundary layer\") AND (\"boundary layer\" OR \"flow\")")
  }
}
