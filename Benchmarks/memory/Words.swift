import Core
import Foundation
import Storage

/// Time of the word search at a size, over chunks made of real texts' words: each takes its words from three texts, so that they
/// have subjects, and some words of its own.
struct Words {
  let texts: [String]
  let queries: [[String]]
  let folder: URL

  struct Row: Encodable {
    var chunks: Int
    var p50: Double
    var p95: Double
  }

  func report(_ count: Int) async throws -> Row {
    let vault = try Vault(Folders(home: folder.appending(path: "words-\(count)")))
    let sources = texts.map { $0.split(separator: " ").map(String.init) }.filter { $0.count > 20 }
    var draw = SplitMix(state: 11)
    for start in stride(from: 0, to: count, by: 1_000) {
      let batch = (start..<min(count, start + 1_000)).map { number -> WholeDocument in
        let subjects = (0..<3).map { _ in sources[Int.random(in: 0..<sources.count, using: &draw)] }
        let words = (0..<140).map { _ -> String in
          let subject = subjects[Int.random(in: 0..<3, using: &draw)]
          return Int.random(in: 0..<7, using: &draw) == 0
            ? "w\(Int.random(in: 0..<200_000, using: &draw))"
            : subject[Int.random(in: 0..<subject.count, using: &draw)]
        }
        let text = words.joined(separator: " ")
        let new = NewDocument(name: "\(number)", hash: "\(number)", title: "", kind: "records", bytes: text.utf8.count)
        let chunk = ChunkText(
          pageFrom: nil, pageTo: nil, start: 0, end: text.utf8.count, heading: "", text: text, tokens: 150)
        return WholeDocument(new, pages: [StoredPage(number: 1, start: 0, text: text)], chunks: [chunk])
      }
      _ = try await vault.documents.take(batch)
    }
    let clock = ContinuousClock()
    var times: [Double] = []
    for words in queries {
      let time = try await clock.measure {
        let telling = try await vault.words.telling(words)
        let expression = telling.map { "\"\($0)\"" }.joined(separator: " OR ")
        _ = try await vault.words.match(expression, headingWeight: 1, limit: 200)
      }
      times.append(time / .milliseconds(1))
    }
    times.sort()
    return Row(chunks: count, p50: times[times.count / 2], p95: times[times.count * 95 / 100])
  }
}
