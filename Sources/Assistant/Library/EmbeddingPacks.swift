import Core
import Foundation
import Inference
import Models
import Resources
import Retrieval

/// The packs that make vectors: the first, and beside it one of more languages, by which questions are found that the first cannot
/// read. Each makes vectors of everything, and a question is compared with those of one.
struct EmbeddingPacks: Sendable {
  let packs: PackStore
  let models: LoadedPacks
  let settings: CurrentSettings
  let governor: Governor

  /// A pack with what its vectors go by: the pack, its checksum, of what they are made.
  struct Choice: Sendable {
    var status: PackStatus
    var identity: String
  }

  /// Those that could be used now, the one that vectors are made with first; each with the vectors that are made with it, and then
  /// with those that version 0.1.0 made.
  func usable() throws -> [Choice] {
    let usable = try packs.list().compactMap { status -> Choice? in
      guard status.pack.kind == .embed, status.installed != nil, status.fit.fits,
        let record = try packs.record(of: status.pack.id)
      else { return nil }
      return Choice(status: status, identity: "\(status.pack.id) \(record.sha256)")
    }
    return usable.map { Choice(status: $0.status, identity: "\($0.identity) \(ChunkVectors.kind)") } + usable
  }

  /// Those that vectors are made with: the first, and the next one that knows languages which the first does not.
  func wanted() throws -> [Choice] { Self.wanted(among: try usable()) }

  static func wanted(among usable: [Choice]) -> [Choice] {
    guard let first = usable.first else { return [] }
    return [first] + usable.dropFirst().filter { $0.status.pack.knowsMore(than: first.status.pack) }.prefix(1)
  }

  /// The first pack of the catalogue that knows languages which this one does not.
  func unknown(to pack: Pack) -> String? {
    packs.catalogue.packs.first { $0.kind == .embed && $0.knowsMore(than: pack) }?.id
  }

  /// Loaded; an error says why it is not to be had.
  func embedder(_ choice: Choice) async throws -> PackEmbedder {
    let (status, limits) = (choice.status, await governor.limits(settings.now.mode))
    let model = try await models.model(status, limits: limits)
    guard let info = await model.info else { throw AssistantError.noEmbedder }
    let worth = status.pack.id == PackEmbedder.mappedPack ? PackEmbedder.mappedWorth : 1
    return PackEmbedder(identity: choice.identity, dimensions: info.dimensions, cosineWorth: worth) { texts in
      try await embedding(status) { try await $0.countTokens(texts) }
    } embed: { texts, threads, asQuestions in
      try await embedding(status) {
        try await $0.embed(texts, long: .cut, threads: threads, asQuestions: asQuestions)
      }
    }
  }

  /// Work with an embedding pack: loaded again if it had to leave memory meanwhile, and kept there until it is done.
  private func embedding<Value: Sendable>(
    _ status: PackStatus, _ work: @Sendable (TextModel) async throws -> Value
  ) async throws -> Value {
    let model = try await models.model(status, limits: governor.limits(settings.now.mode))
    return try await governor.using(status.pack.id) { try await work(model) }
  }

  // MARK: Languages

  /// Whether a question is in another language than an English pack reads: its small words say so, and where it has none, its words
  /// break into many pieces, as those of one in fifty English questions do and of all but one in seventeen German ones.
  static func isForeign(_ question: String, count: TokenCounter) async throws -> Bool {
    switch QuestionLanguage.known(of: question) {
    case .english?: return false
    case .german?, .french?: return true
    case nil: break
    }
    let words = Question.words(in: question).filter { !$0.contains(where: \.isNumber) }
    guard !words.isEmpty, let tokens = try await count([words.joined(separator: " ")]).first else { return false }
    let marks = 2  // one before and one behind
    return Double(tokens - marks) >= mostPieces * Double(words.count)
  }

  private static let mostPieces = 1.6
}
