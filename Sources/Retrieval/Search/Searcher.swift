import Core
import Foundation
package import Storage

/// Finds evidence: both stages look through everything, then their findings are fused and put together.
package actor Searcher {
  /// Without an embedder only words are searched, and `Found.stages` says so.
  private let embedder: (any Embedder)?
  private let vault: Vault
  private let tuning: Tuning
  private var recent = RecentResults<Key, Found>(capacity: 128)
  /// Of questions, and of the sentences that were compared with them: who asks once more mostly asks of the same documents.
  private var recentVectors = RecentResults<Meant, [Float]>(capacity: 4096)
  private var recentScopes = RecentResults<[String], Set<Int64>?>(capacity: 8)

  package init(_ vault: Vault, embedder: (any Embedder)?, tuning: Tuning = Tuning()) {
    self.vault = vault
    self.embedder = embedder
    self.tuning = tuning
  }

  /// The numbers behind a ranking; measured on Cranfield (Benchmarks/memory).
  package struct Tuning: Sendable, Equatable {
    package var headingWeight = 1.0
    /// What a chunk gains that holds an identifier of the question in one piece, as a part of the best possible score. More
    /// than half: whoever asks for E-4711 wants that and not something like it.
    package var nameBonus = 0.7
    /// An identifier that stands in more chunks than this tells no more than its words do.
    package var mostNamed = 20
    package init() {}
  }

  private struct Meant: Hashable { var text: String; var asQuestion: Bool }
  private struct Key: Hashable { var question: String; var depth: Depth; var scope: Scope; var stage: Stage }

  package struct Found: Sendable {
    package var passages: [Passage] = []
    /// Word by word, what was looked for instead of what stood nowhere.
    package var corrections: [String: [String]] = [:]
    /// The question without its slips.
    package var meant = ""
    /// The stages that took part; dense is missing without an embedder or before any vector exists.
    package var stages: [Stage] = []
    /// What the question looks for, its words weighed by how rare they are here.
    package var profile = QuestionProfile("")
  }

  /// What one candidate scored in each stage.
  private struct Candidates {
    var lexical = Ranking([])
    var dense = Ranking([])
    /// The question's, where chunks were compared with it.
    var vector: [Float]?
    /// Chunks that hold an identifier of the question.
    var named: Set<Int64> = []
    var corrections: [String: [String]] = [:]
    var meant = ""
    var question: Question
    /// How many of each stage were looked for.
    var limit: Int
  }

  // MARK: Passages

  package func search(
    _ text: String, depth: Depth = .fast, scope: Scope = .everything, stage: Stage = .fused
  ) async throws -> Found {
    try WordList.check()
    let revision = vault.revision
    let key = Key(question: text, depth: depth, scope: scope, stage: stage)
    if let known = recent.result(for: key, at: revision) { return known }
    let candidates = try await candidates(text, limit: depth.candidates, scope: scope, stage: stage)
    let ranked = ranking(candidates, stage)
    var found = Found(corrections: candidates.corrections, meant: candidates.meant)
    if !candidates.lexical.entries.isEmpty { found.stages.append(.lexical) }
    if !candidates.dense.entries.isEmpty { found.stages.append(.dense) }

    let shortlist = Array(ranked.entries.prefix(depth.passages))
    let chunks = try await vault.documents.chunks(shortlist.map(\.id))
    found.profile = try await profile(candidates, vault.words(of: scope.parts))
    let scores = Dictionary(uniqueKeysWithValues: shortlist.map { ($0.id, $0.score) })
    let lexical = Dictionary(uniqueKeysWithValues: candidates.lexical.entries.map { ($0.id, $0.score) })
    let dense = Dictionary(uniqueKeysWithValues: candidates.dense.entries.map { ($0.id, $0.score) })
    let terms = candidates.question.words + candidates.corrections.values.flatMap { $0 }
    let relevance = chunks.map { chunk in
      Relevance.of(cosine: dense[chunk.id], coverage: Relevance.coverage(of: terms, in: chunk.content))
    }
    var passages: [Passage] = []
    var documents: [Int64: StoredDocument] = [:]
    for index in chunks.indices.prefix(depth.passages) where relevance[index] >= depth.threshold {
      let chunk = chunks[index]
      if documents[chunk.document] == nil { documents[chunk.document] = try await vault.documents.get(chunk.document) }
      passages.append(
        Passage(
          chunk, of: documents[chunk.document]!, relevance: relevance[index],
          scores: StageScores(lexical: lexical[chunk.id], dense: dense[chunk.id], fused: scores[chunk.id])))
    }
    found.passages = try await widened(passages, depth)
    recent.keep(found, for: key, at: revision)
    return found
  }

  private func profile(_ candidates: Candidates, _ shelf: WordShelf) async throws -> QuestionProfile {
    let question = Question(candidates.meant)
    let chunks = max(1, try await shelf.count())
    func rarity(_ word: String) async throws -> Double {
      QuestionProfile.rarity(of: word, in: try await shelf.frequency(of: word), of: chunks)
    }
    var rarities: [String: Double] = [:]
    for word in question.words + question.phrases.flatMap({ Question.words(in: $0) }) {
      rarities[word] = try await rarity(word)
    }
    var profile = QuestionProfile(candidates.meant, rarity: rarities, vector: candidates.vector)
    for (word, instead) in candidates.corrections {
      var weights: [String: Double] = [:]
      for each in instead { weights[each] = try await rarity(each) }
      profile.replace(word, by: weights)
    }
    return profile
  }

  /// What the cosines of these vectors count.
  package nonisolated var cosineWorth: Double { embedder?.cosineWorth ?? 1 }

  /// The meaning of sentences, for choosing among them; nil without an embedder.
  package func vectors(of texts: [String]) async throws -> [[Float]]? {
    guard let embedder else { return nil }
    return try await vectors(of: texts, asQuestions: false, by: embedder)
  }

  /// Where in the same space the sentences that answer lie.
  package func vectors(asking questions: [String]) async throws -> [[Float]]? {
    guard let embedder else { return nil }
    return try await vectors(of: questions, asQuestions: true, by: embedder)
  }

  /// What was embedded lately is not embedded again.
  private func vectors(
    of texts: [String], asQuestions: Bool, by embedder: any Embedder
  ) async throws -> [[Float]] {
    let revision = vault.revision
    var known: [String: [Float]] = [:]
    var new: [String] = []
    for text in texts where known[text] == nil {
      let vector = recentVectors.result(for: Meant(text: text, asQuestion: asQuestions), at: revision)
      if vector == nil { new.append(text) }
      known[text] = vector ?? []
    }
    if !new.isEmpty {
      for (text, vector) in zip(new, try await embedder.embed(new, asQuestions: asQuestions)) {
        known[text] = vector
        recentVectors.keep(vector, for: Meant(text: text, asQuestion: asQuestions), at: revision)
      }
    }
    return texts.compactMap { known[$0] }
  }

  /// What each document begins with: whom and what it is about, said once and meant throughout. Of a short one it is little, or
  /// everything in it would be that.
  package func openings(of documents: [StoredDocument]) async throws -> [Int64: String] {
    var openings: [Int64: String] = [:]
    for document in documents where openings[document.id] == nil {
      let first = try await vault.documents.chunks(of: document.id, ordinals: 0...0).first
      openings[document.id] = first.map { String($0.content.text.prefix(min(400, document.textBytes / 8))) }
    }
    return openings
  }

  /// Reads along what stands next to a passage and joins what touches.
  private func widened(_ passages: [Passage], _ depth: Depth) async throws -> [Passage] {
    var joined: [Passage] = []
    for passage in passages {
      var passage = passage
      if depth.neighbours > 0, let found = try await vault.documents.chunks([passage.chunks[0]]).first {
        let range = max(0, found.ordinal - depth.neighbours)...(found.ordinal + depth.neighbours)
        for chunk in try await vault.documents.chunks(of: passage.document.id, ordinals: range)
        where chunk.id != found.id {
          let neighbour = Passage(chunk, of: passage.document, relevance: 0, scores: StageScores())
          if var wider = passage.joined(with: neighbour, limit: .max) {
            (wider.scores, wider.relevance, wider.heading) = (passage.scores, passage.relevance, passage.heading)
            passage = wider
          }
        }
      }
      if let place = joined.firstIndex(where: { $0.joined(with: passage, limit: Self.longest) != nil }),
        let both = joined[place].joined(with: passage, limit: Self.longest)
      {
        joined[place] = both
      } else {
        joined.append(passage)
      }
    }
    return joined
  }

  /// A passage stays readable: about a page.
  private static let longest = 4_000

  // MARK: Whole documents

  package struct RankedDocument: Sendable, Equatable, Codable {
    package var document: String
    package var score: Double
  }

  /// Documents by their best chunk; no threshold. For evaluation.
  package func documents(
    _ text: String, limit: Int = 100, scope: Scope = .everything, stage: Stage = .fused
  ) async throws -> [RankedDocument] {
    let candidates = try await candidates(text, limit: max(limit * 4, 200), scope: scope, stage: stage)
    let ranked = ranking(candidates, stage)
    let owners = try await vault.documents.owners(of: ranked.entries.map(\.id))
    var scores: [Int64: Double] = [:]
    for entry in ranked.entries {
      if let owner = owners[entry.id] { scores[owner.id] = max(scores[owner.id] ?? -.infinity, entry.score) }
    }
    let names = Dictionary(owners.values.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
    return
      scores
      .map { RankedDocument(document: names[$0.key] ?? "", score: $0.value) }
      .sorted { $0.score != $1.score ? $0.score > $1.score : $0.document < $1.document }
      .prefix(limit).map { $0 }
  }

  // MARK: The stages

  private func ranking(_ candidates: Candidates, _ stage: Stage) -> Ranking {
    switch stage {
    case .lexical: candidates.lexical
    case .dense: candidates.dense
    case .fused:
      Fusion.fuse(lexical: candidates.lexical, dense: candidates.dense, limit: candidates.limit)
        .raising(candidates.named, by: tuning.nameBonus)
    }
  }

  private func candidates(_ text: String, limit: Int, scope: Scope, stage: Stage) async throws -> Candidates {
    var candidates = Candidates(question: Question(text), limit: limit)
    let documents = try await documents(in: scope)
    if stage != .dense { try await lexical(&candidates, limit, documents, vault.words(of: scope.parts)) }
    candidates.meant = Typos.mended(text, by: candidates.corrections)
    if stage != .lexical { try await dense(&candidates, candidates.meant, limit, documents) }
    // Quoted words were meant literally: what the dense stage adds must hold them too.
    if !candidates.question.phrases.isEmpty, stage == .fused, !candidates.lexical.entries.isEmpty {
      let literal = Set(candidates.lexical.entries.map(\.id))
      candidates.dense.entries.removeAll { !literal.contains($0.id) }
    }
    return candidates
  }

  private func lexical(
    _ candidates: inout Candidates, _ limit: Int, _ documents: Set<Int64>?, _ shelf: WordShelf
  ) async throws {
    var question = candidates.question
    candidates.corrections = try await Typos.corrections(question, in: shelf, documents)
    question.words = try await shelf.telling(question.words)
    let corrections = candidates.corrections.values.flatMap { $0 }.sorted()
    guard let expression = question.expression(adding: corrections) else { return }
    let matches = try await shelf.match(
      expression, headingWeight: tuning.headingWeight, limit: limit, documents: documents)
    var scores = Dictionary(uniqueKeysWithValues: matches.map { ($0.chunk, $0.score) })
    let best = matches.first?.score ?? 1
    for name in question.names {
      for chunk in try await shelf.holding(name: name, limit: tuning.mostNamed, documents: documents) {
        scores[chunk, default: 0] += best * tuning.nameBonus
        candidates.named.insert(chunk)
      }
    }
    candidates.lexical = Ranking(ordering: scores.map { ($0.key, $0.value) })
  }

  private func dense(
    _ candidates: inout Candidates, _ text: String, _ limit: Int, _ documents: Set<Int64>?
  ) async throws {
    guard let embedder else { return }
    let shelf = vault.vectors(embedder: embedder.identity, dimensions: embedder.dimensions)
    guard try await shelf.count() > 0 else { return }
    guard let vector = try await vectors(of: [text], asQuestions: false, by: embedder).first,
      let asked = try await vectors(of: [text], asQuestions: true, by: embedder).first
    else { return }
    candidates.vector = vector
    let sought = ChunkVectors.sought(vector, asked)
    let neighbours = try await shelf.nearest(sought, limit: limit, documents: documents)
    candidates.dense = Ranking(neighbours.map { (id: $0.chunk, score: Double($0.score)) })
  }

  private func documents(in scope: Scope) async throws -> Set<Int64>? {
    switch scope {
    case .everything: try await library()
    case .collections(let names): try await documents(in: names)
    }
  }

  private func library() async throws -> Set<Int64>? {
    let revision = vault.revision
    if let known = recentScopes.result(for: [], at: revision) { return known }
    let scope = try await vault.documents.library()
    recentScopes.keep(scope, for: [], at: revision)
    return scope
  }

  /// nil where the collections are all there is: nothing then has to be looked up in a list.
  private func documents(in collections: [String]) async throws -> Set<Int64>? {
    let revision = vault.revision
    if let known = recentScopes.result(for: collections, at: revision) { return known }
    let ids = try await vault.documents.ids(inCollections: collections)
    let scope = ids.count == (try await vault.documents.counts().documents) ? nil : ids
    recentScopes.keep(scope, for: collections, at: revision)
    return scope
  }
}
