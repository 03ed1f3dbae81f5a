import Core
import Foundation
import Retrieval
import Storage

/// A collection brought into a vault the way an import does it.
enum Corpus {
  static func fill(
    _ vault: Vault, with corpus: [Beir.Text], chunker: Chunker, embedder: any Embedder, batch: Int = 64
  ) async throws {
    for text in corpus {
      var document = NewDocument(
        name: text._id, hash: SHA256.of(Data((text._id + "\n" + text.text).utf8)), title: text.title ?? "",
        kind: "jsonl",
        bytes: text.text.utf8.count)
      document.collection = "bench"
      guard case .proceed(let begun) = try await vault.documents.begin(document) else { continue }
      var headings: [Chunker.Heading] = []
      let blocks = text.text.isEmpty ? [] : [TextBlock(.paragraph, text.text, start: 0)]
      let chunks = try await chunker.chunks(of: blocks, title: document.title, headings: &headings)
      try await vault.documents.append(
        to: begun.id, pages: [Page(number: 0, start: 0, text: text.text)], chunks: chunks, pagesDone: 1)
      try await vault.documents.finish(begun.id)
    }
    let shelf = vault.vectors(embedder: embedder.identity, dimensions: embedder.dimensions)
    while true {
      let pending = try await shelf.pending(limit: batch)
      if pending.isEmpty { break }
      let vectors = try await embedder.embed(pending.map(\.text))
      try await shelf.add(zip(pending, vectors).map { ($0.chunk, $1) })
    }
  }
}
