import Retrieval
import Storage

extension Quality {
  /// Tries the searcher's numbers on the tuning half; the held-out half is for `report` alone.
  func tune() async throws {
    let queries = queries(.tuning)
    var tunings: [(String, Searcher.Tuning)] = []
    for heading in [0.0, 0.5, 1.0, 2.0] {
      for tail in [0.0, 0.1, 0.2, 0.4] {
        var tuning = Searcher.Tuning()
        (tuning.headingWeight, tuning.documentTail) = (heading, tail)
        tunings.append(("heading \(heading) tail \(tail)", tuning))
      }
    }
    for (name, tuning) in tunings {
      let searcher = Searcher(vault, embedder: embedder, tuning: tuning)
      let row = try await measure("lexical \(name)", queries) {
        try await searcher.documents($0, stage: .lexical).map(\.document)
      }
      print(row.system, Self.digits(row.ndcg10), Self.digits(row.recall100))
    }
    for tail in [0.0, 0.1, 0.2] {
      var tuning = Searcher.Tuning()
      tuning.documentTail = tail
      for weight in [0.3, 0.4, 0.5, 0.6, 0.7] {
        var fusions = [("scores", Fusion.scores(lexicalWeight: weight))]
        for k in [5.0, 20, 60] { fusions.append(("ranks k \(k)", .ranks(k: k, lexicalWeight: weight))) }
        for (name, fusion) in fusions {
          tuning.fusion = fusion
          let searcher = Searcher(vault, embedder: embedder, tuning: tuning)
          let row = try await measure("fused \(name) lexical \(weight) tail \(tail)", queries) {
            try await searcher.documents($0).map(\.document)
          }
          print(row.system, Self.digits(row.ndcg10), Self.digits(row.recall100))
        }
      }
    }
  }
}
