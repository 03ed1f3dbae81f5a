package import Storage

/// Something found: a stretch of a document, with its place and how each stage judged it.
package struct Passage: Sendable, Equatable {
  package var document: StoredDocument
  package var heading: String
  package var text: String
  package var pageFrom: Int?
  package var pageTo: Int?
  /// UTF-8 bytes in the document's text; `text` is what lies between, white space between blocks aside.
  package var start: Int
  package var end: Int
  /// 0 to 1, for people: how probable it is that this bears on the question.
  package var relevance: Double
  package var scores: StageScores
  /// The chunks it was put together from, the one that was found first.
  package var chunks: [Int64]

  package init(
    document: StoredDocument, heading: String, text: String, pageFrom: Int?, pageTo: Int?, start: Int, end: Int,
    relevance: Double, scores: StageScores, chunks: [Int64]
  ) {
    self.document = document
    self.heading = heading
    self.text = text
    self.pageFrom = pageFrom
    self.pageTo = pageTo
    self.start = start
    self.end = end
    self.relevance = relevance
    self.scores = scores
    self.chunks = chunks
  }

  package init(_ chunk: Chunk, of document: StoredDocument, relevance: Double, scores: StageScores) {
    self.init(
      document: document, heading: chunk.content.heading, text: chunk.content.text, pageFrom: chunk.content.pageFrom,
      pageTo: chunk.content.pageTo, start: chunk.content.start, end: chunk.content.end, relevance: relevance,
      scores: scores, chunks: [chunk.id])
  }

  /// Neighbours are apart by white space at most, as the chunker leaves it out.
  private static let widestGap = 64

  /// Puts together two passages that touch or overlap; nil if they do not, or if together they are longer than `limit` bytes.
  package func joined(with other: Passage, limit: Int) -> Passage? {
    guard document.id == other.document.id else { return nil }
    let (first, second) = start <= other.start ? (self, other) : (other, self)
    let gap = second.start - first.end
    guard gap <= Self.widestGap, max(first.end, second.end) - first.start <= limit else { return nil }
    var joined = scores.fused ?? relevance >= other.scores.fused ?? other.relevance ? self : other
    let between = gap == 1 ? " " : String(repeating: "\n", count: max(0, gap))
    let rest = second.text.utf8.dropFirst(max(0, -gap))
    joined.start = first.start
    joined.end = max(first.end, second.end)
    joined.text = first.text + between + (String(rest) ?? "")
    joined.pageFrom = [pageFrom, other.pageFrom].compactMap { $0 }.min()
    joined.pageTo = [pageTo, other.pageTo].compactMap { $0 }.max()
    joined.relevance = max(relevance, other.relevance)
    joined.chunks = chunks + other.chunks.filter { !chunks.contains($0) }
    return joined
  }
}
