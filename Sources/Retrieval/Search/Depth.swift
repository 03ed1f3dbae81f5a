import Storage

/// How much a search reads and returns; `Resources` fills it in by mode, heat and battery.
package struct Depth: Sendable, Hashable {
  /// Chunks considered from each stage.
  package var candidates: Int
  /// Passages returned.
  package var passages: Int
  /// Least relevance (0 to 1) of a passage.
  package var threshold: Double
  /// How many chunks before and after a found one may be read along with it.
  package var neighbours: Int

  package init(
    candidates: Int = 200, passages: Int = 6, threshold: Double = 0, neighbours: Int = 0
  ) {
    self.candidates = candidates
    self.passages = passages
    self.threshold = threshold
    self.neighbours = neighbours
  }

  package static let fast = Depth()
  package static let deep = Depth(candidates: 400, passages: 12, neighbours: 1)
}

/// Where to search.
package enum Scope: Sendable, Hashable {
  case everything
  case collections([String])

  /// Whose words are counted: of all that is attached to conversations, or of the library.
  var parts: [WordShelf.Part] {
    guard case .collections(let names) = self else { return [.library] }
    return WordShelf.Part.allCases.filter { part in
      names.contains { Attached.isCollection($0) == (part == .attached) }
    }
  }
}

/// One stage alone, or both together.
package enum Stage: String, Sendable, Hashable, Codable, CaseIterable {
  case lexical, dense, fused
}

/// What each stage thought of a chunk; nil where a stage did not find it.
package struct StageScores: Sendable, Equatable, Codable {
  package var lexical: Double?
  package var dense: Double?
  package var fused: Double?

  package init(lexical: Double? = nil, dense: Double? = nil, fused: Double? = nil) {
    self.lexical = lexical
    self.dense = dense
    self.fused = fused
  }
}
