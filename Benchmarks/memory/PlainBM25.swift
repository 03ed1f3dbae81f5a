import Foundation
import Retrieval

/// BM25 as the textbooks have it (k1 1.2, b 0.75), over title and text, words in lower case: what ours is compared with.
struct PlainBM25 {
  private var postings: [String: [(document: Int, count: Int)]] = [:]
  private var lengths: [Double] = []
  private var names: [String] = []
  private let mean: Double

  init(_ corpus: [Beir.Text]) {
    for (index, text) in corpus.enumerated() {
      let words = Question.words(in: (text.title ?? "") + " " + text.text)
      lengths.append(Double(words.count))
      names.append(text._id)
      for (word, count) in Dictionary(words.map { ($0, 1) }, uniquingKeysWith: +) {
        postings[word, default: []].append((index, count))
      }
    }
    mean = Metrics.mean(lengths)
  }

  func documents(_ query: String, limit: Int) -> [String] {
    var scores: [Int: Double] = [:]
    for word in Question.words(in: query) {
      guard let list = postings[word] else { continue }
      let (with, without) = (Double(list.count), Double(lengths.count - list.count))
      let rarity = log(1 + (without + 0.5) / (with + 0.5))
      for (document, count) in list {
        let times = Double(count)
        let length = 0.25 + 0.75 * lengths[document] / mean
        scores[document, default: 0] += rarity * times * 2.2 / (times + 1.2 * length)
      }
    }
    return scores.sorted { $0.value != $1.value ? $0.value > $1.value : $0.key < $1.key }.prefix(limit).map {
      names[$0.key]
    }
  }
}
