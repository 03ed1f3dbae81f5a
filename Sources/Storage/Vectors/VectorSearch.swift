import CVector
import Dispatch
import Synchronization

/// A chunk and how close it is: the cosine of the angle between its vector and the question's.
package struct Neighbour: Sendable, Equatable {
  package var chunk: Int64
  package var score: Float
}

/// Finds the nearest vectors: exactly while they are few, otherwise first by sign bits and then exactly among the best of those.
package struct VectorSearch {
  let store: VectorStore
  /// Up to here every vector is compared exactly.
  package var exactUpTo = VectorLayout.slots
  /// How many candidates of the coarse stage each thread compares exactly: among more vectors more lie close together.
  package var candidates: @Sendable (_ vectors: Int) -> Int = { max(1_000, $0 / 250) }
  package var threads = 2

  package init(store: VectorStore) { self.store = store }

  private struct Found {
    var scores: [Float] = []
    var places: [UInt32] = []
  }

  /// `allowed` limits the search to some documents.
  package func nearest(_ vector: [Float], _ limit: Int, allowed: Set<UInt32>? = nil) -> [Neighbour] {
    let (blocks, used) = store.reading()
    guard used > 0, limit > 0, vector.count == store.layout.dimensions else { return [] }
    let query = VectorQuery(vector, store.layout)
    let coarse = used > exactUpTo
    let keep = coarse ? max(candidates(used), limit * 4) : limit
    let parts = used > 4096 ? max(1, threads) : 1
    let results = Mutex([Found](repeating: Found(), count: parts))
    let perform: @Sendable (Int) -> Void = { part in
      var found = scan(blocks, used, query, part: part, of: parts, keep: keep, coarse: coarse, allowed)
      if coarse {
        for (index, place) in found.places.enumerated() {
          let (block, slot) = Int(place).quotientAndRemainder(dividingBy: VectorLayout.slots)
          blocks[block].products(query, from: slot, count: 1, into: &found.scores[index])
        }
        cut(&found, limit)
      }
      results.withLock { $0[part] = found }
    }
    if parts == 1 { perform(0) } else { DispatchQueue.concurrentPerform(iterations: parts, execute: perform) }
    let found = results.withLock { $0 }
    let merged = Found(scores: found.flatMap(\.scores), places: found.flatMap(\.places))
    let best = zip(merged.scores, merged.places).sorted { $0.0 != $1.0 ? $0.0 > $1.0 : $0.1 < $1.1 }.prefix(limit)
    return best.compactMap { score, place in
      let (block, slot) = Int(place).quotientAndRemainder(dividingBy: VectorLayout.slots)
      let chunk = blocks[block].chunks[slot]
      return chunk == 0 ? nil : Neighbour(chunk: chunk, score: score)
    }
  }

  private func scan(
    _ blocks: [VectorBlock], _ used: Int, _ query: VectorQuery, part: Int, of parts: Int, keep: Int, coarse: Bool,
    _ allowed: Set<UInt32>?
  ) -> Found {
    var found = Found()
    var threshold = -Float.infinity
    let stretch = 1024
    let from = used / parts / stretch * stretch * part
    let to = part == parts - 1 ? used : used / parts / stretch * stretch * (part + 1)
    withUnsafeTemporaryAllocation(of: Float.self, capacity: stretch) { scores in
      let buffer = scores.baseAddress!
      for start in stride(from: from, to: to, by: stretch) {
        let count = min(stretch, to - start)
        let (index, slot) = start.quotientAndRemainder(dividingBy: VectorLayout.slots)
        let block = blocks[index]
        if coarse {
          block.estimate(query, from: slot, count: count, into: buffer)
        } else {
          block.products(query, from: slot, count: count, into: buffer)
        }
        for row in 0..<count where buffer[row] > threshold {
          guard block.chunks[slot + row] != 0 else { continue }
          if let allowed, !allowed.contains(block.documents[slot + row]) { continue }
          found.scores.append(buffer[row])
          found.places.append(UInt32(start + row))
        }
        if found.scores.count >= 2 * keep + stretch { threshold = cut(&found, keep) }
      }
    }
    cut(&found, keep)
    return found
  }

  /// Keeps the best `keep` and says what the least of them scored.
  @discardableResult
  private func cut(_ found: inout Found, _ keep: Int) -> Float {
    guard found.scores.count > keep else { return -.infinity }
    var copy = found.scores
    let least = cvector_cut(&copy, copy.count, keep)
    var kept = Found()
    for above in [true, false] {
      // First all that are better than the least, then as many equals as there is room for.
      for (score, place) in zip(found.scores, found.places) where above ? score > least : score == least {
        if kept.scores.count == keep { break }
        kept.scores.append(score)
        kept.places.append(place)
      }
    }
    found = kept
    return least
  }
}
