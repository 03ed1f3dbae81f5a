import Core
import Testing

@testable import Retrieval

@Suite("Fusing, correcting")
struct FusionTests {
  @Test("What both stages find well comes before what one finds, and everything that either finds is there")
  func both() {
    let lexical = Ranking([(id: 1, score: 9), (id: 2, score: 8), (id: 3, score: 7)])
    let dense = Ranking([
      (id: 4, score: 0.7), (id: 2, score: 0.65), (id: 5, score: 0.6), (id: 1, score: 0.5), (id: 3, score: 0.5),
    ])
    let fused = Fusion.fuse(lexical: lexical, dense: dense, limit: 10)
    #expect(fused.entries.map(\.id) == [2, 1, 4, 3, 5])
  }

  @Test("How far apart an encoder puts its cosines changes no order; where all are alike, words tell")
  func spread() {
    let lexical = Ranking([(id: 1, score: 10), (id: 2, score: 3), (id: 3, score: 1)])
    let cosines = [
      (id: Int64(4), score: 0.9), (id: 2, score: 0.8), (id: 5, score: 0.4), (id: 1, score: 0.3), (id: 3, score: 0.2),
    ]
    let orders = [1, 0.5, 0.3].map { scale in
      let dense = Ranking(cosines.map { ($0.id, 0.1 + scale * $0.score) })
      return Fusion.fuse(lexical: lexical, dense: dense, limit: 10).entries.map(\.id)
    }
    #expect(orders == [[1, 2, 4, 5, 3], [1, 2, 4, 5, 3], [1, 2, 4, 5, 3]])
    let alike = Ranking(cosines.map { ($0.id, 0.5) })
    #expect(Fusion.fuse(lexical: lexical, dense: alike, limit: 10).entries.map(\.id) == [1, 2, 3, 4, 5])
  }

  @Test("Where no words fit well, what means the same stays first")
  func meaning() {
    // The first of words is the first only because nothing else has any.
    let lexical = Ranking([(id: 1, score: 1.2), (id: 2, score: 0.4)])
    let dense = Ranking([(id: 4, score: 0.6), (id: 5, score: 0.5), (id: 1, score: 0.4), (id: 2, score: 0.3)])
    #expect(Fusion.fuse(lexical: lexical, dense: dense, limit: 10).entries.map(\.id) == [4, 5, 1, 2])
  }

  @Test("What is missing from a full list counts like its last, what has no vector yet like the middle")
  func full() {
    let lexical = Ranking([(id: 1, score: 10), (id: 2, score: 9)])
    let dense = Ranking([(id: 3, score: 0.5), (id: 1, score: 0.42)])
    #expect(Fusion.fuse(lexical: lexical, dense: dense, limit: 2).entries.map(\.id) == [3, 1, 2])
    #expect(Fusion.fuse(lexical: lexical, dense: dense, limit: 3).entries.map(\.id) == [2, 1, 3])
  }

  @Test("An empty stage leaves the other's order")
  func empty() {
    let list = Ranking([(id: 7, score: 3), (id: 8, score: 2), (id: 9, score: 1)])
    #expect(Fusion.fuse(lexical: list, dense: Ranking([]), limit: 9).entries.map(\.id) == [7, 8, 9])
    #expect(Fusion.fuse(lexical: Ranking([]), dense: list, limit: 9).entries.map(\.id) == [7, 8, 9])
    #expect(Fusion.fuse(lexical: Ranking([]), dense: Ranking([]), limit: 9).entries.isEmpty)
  }

  @Test(
    "A slip of the hand is one step",
    arguments: [
      ("boundary", "bondary", 1), ("boundary", "boundaryy", 1), ("boundary", "buondary", 1),
      ("boundary", "boundery", 1),
      ("layer", "layer", 0), ("wing", "swan", 3), ("", "ab", 2), ("größe", "grösse", 2),
    ])
  func slips(first: String, second: String, distance: Int) {
    #expect(Nearest.distance(first, second, limit: 3) == distance)
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
    // Words that exist are no slips of usual ones; of a name they may be.
    for (word, other) in [("sofa", "soft"), ("wages", "wales"), ("muss", "miss")] {
      #expect(Typos.corrections(of: word, in: [(word: other, chunks: 3)]).isEmpty, "\(word)")
    }
    #expect(Typos.corrections(of: "mayer", in: [(word: "meyer", chunks: 1)]) == ["meyer"])
    #expect(Typos.corrections(of: "sofr", in: [(word: "soft", chunks: 3)]) == ["soft"])
  }

  @Test(
    "A question is read without its slips, and as it is where what was looked for is no slip",
    arguments: [
      ("When is the Depost due?", ["depost": ["deposit"]], "When is the deposit due?"),
      ("heat pump wieght, wieght", ["wieght": ["weight", "eight"]], "heat pump weight, weight"),
      ("Wie lang ist die Kündigungsfrist?", ["kündigungsfrist": ["frist"]], "Wie lang ist die Kündigungsfrist?"),
      ("What is due?", [:], "What is due?"),
    ] as [(String, [String: [String]], String)])
  func mended(question: String, corrections: [String: [String]], meant: String) {
    #expect(Typos.mended(question, by: corrections) == meant)
  }

  @Test("A question is taken apart into words, phrases and names")
  func question() {
    #expect(Question("What is the rent of „Haus am See“ in 2024?").phrases == ["Haus am See"])
    #expect(Question("What is the rent?").words == ["rent"])
    #expect(Question("To be or not to be").words == ["to", "be", "or", "not"])
    #expect(Question("why does sqlite3_step() fail with E-4711, v2.1?").names == ["sqlite3_step", "E-4711", "v2.1"])
    // A year stands in any text, and within dates in one piece with the day.
    #expect(Question("What did room 214 cost for 12 nights in May 2024?").names == ["214"])
    // What a hyphen joins is two words, and capitals are no sign of a code.
    #expect(Question("Is the two-dimensional flow of NASA laminar?").names.isEmpty)
    #expect(Question("the dog's \"tail").words == ["dog", "s", "tail"])
    #expect(Question("").expression() == nil)
    #expect(Question("\"\" ***").expression() == nil)
    #expect(
      Question("\"boundary layer\" flow").expression() == "(\"boundary layer\") AND (\"boundary layer\" OR \"flow\")")
  }
}
