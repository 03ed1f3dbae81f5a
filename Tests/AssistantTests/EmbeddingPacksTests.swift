import Core
import Foundation
import Retrieval
import Storage
import TestSupport
import Testing

@testable import Assistant
@testable import Models

@Suite("Which packs make vectors, and which a question is asked with")
struct EmbeddingPacksTests {
  /// Which of the installed ones are used.
  @Test(
    arguments: [
      ([], []),
      ([("a", ["en"])], ["a"]),
      ([("a", ["en"]), ("b", ["en"])], ["a"]),
      ([("a", ["en"]), ("b", ["en"]), ("c", ["en", "de"]), ("d", ["fr"])], ["a", "c"]),
      ([("c", ["en", "de"]), ("a", ["en"])], ["c"]),
      // Of what a person has brought nothing is known: what stands first is asked everything.
      ([("a", nil), ("c", ["en", "de"])], ["a"]),
      ([("a", ["en"]), ("b", nil)], ["a"]),
    ] as [([(String, [String]?)], [String])])
  func wanted(installed: [(String, [String]?)], used: [String]) throws {
    let choices = try installed.map { id, languages in
      var status = try #require(try Self.catalogue().first { $0.kind == .embed })
      (status.id, status.languages) = (id, languages)
      let whole = PackStatus(
        pack: status, sha256: nil, installed: nil, verified: true, upgradable: false,
        fit: Fit(fits: true, context: 256, footprintBytes: 0, reason: ""))
      return EmbeddingPacks.Choice(status: whole, identity: id)
    }
    #expect(EmbeddingPacks.wanted(among: choices).map(\.identity) == used)
  }

  private static func catalogue() throws -> [Pack] {
    try Catalogue(at: Checkout.root.appending(path: "Packs/catalogue.json")).packs
  }

  /// Pieces as an English vocabulary has them: every four letters of a word that is in no list of English ones.
  private static let count: TokenCounter = { texts in
    texts.map { text in
      2
        + text.split(separator: " ").reduce(0) {
          $0 + (["notice", "period", "warranty", "battery", "error"].contains(String($1)) ? 1 : ($1.count + 3) / 4)
        }
    }
  }

  @Test(arguments: [
    ("When is the rent due?", false), ("Wann ist die Miete fällig?", true), ("Quand faut-il payer le loyer ?", true),
    ("notice period", false), ("Kündigungsfrist Wohnung", true), ("¿Cuándo cambiar?", true),
    ("warranty battery", false),
    ("家賃はいつ払いますか", true), ("E-4711", false), ("", false), ("?!", false),
  ])
  func foreign(question: String, isForeign: Bool) async throws {
    #expect(try await EmbeddingPacks.isForeign(question, count: Self.count) == isForeign)
  }

  @Test("To whom speaks another language than the default pack, one that knows it is proposed beside it")
  func proposed() throws {
    let home = try OpenHouse()
    func defaults(_ language: String?) throws -> [String] {
      try home.house.packs.list(for: language).filter { $0.pack.kind == .embed && $0.pack.isDefault }.map(\.pack.id)
    }
    #expect(try defaults(nil) == ["all-minilm-l6-v2-f16"])
    #expect(try defaults("en") == ["all-minilm-l6-v2-f16"])
    #expect(try defaults("de") == ["all-minilm-l6-v2-f16", "use-multilingual-3-q6"])
    #expect(try defaults("xx") == ["all-minilm-l6-v2-f16"])
  }
}

/// Where a test run has put their weights; nil without.
private let (english, many) = (Prepared.weights("minilm.gguf"), Prepared.weights("use.gguf"))

@Suite("Two packs that make vectors", .enabled(if: english != nil && many != nil, "no embedding models"))
struct TwoEmbeddersTests {
  @Test("Questions go to the pack that knows their language; without one it is said, and its vectors come when it does")
  func languages() async throws {
    let home = try OpenHouse()
    let house = home.house
    try await house.packs.install("all-minilm-l6-v2-f16", from: try #require(english))
    let lines = [
      "Die Kündigungsfrist beträgt drei Monate.", "Im Keller steht ein rotes Fahrrad.", "The pump hums at night.",
      "Le chien dort dans la cuisine.", "Der Zähler hängt im Flur.",
    ]
    _ = try await home.all(Import.self, .init(paths: [try home.write(lines[0], to: "a.txt").path]))
    for (place, line) in lines.dropFirst().enumerated() {
      _ = try await home.all(Import.self, .init(paths: [try home.write(line, to: "\(place).txt").path]))
    }
    let question = "Wie lange vorher muss ich ausziehen ankündigen?"
    func first(_ question: String) async throws -> String? {
      try await house.finder(for: question).search(question, stage: .dense).passages.first?.text
    }
    _ = try await first(question)
    #expect(try await house.unready(in: nil, for: question)?.contains("packs pull use-multilingual-3-q6") == true)
    #expect(try await house.unready(in: nil, for: "When is the pump heard?") == nil)

    try await house.packs.install("use-multilingual-3-q6", from: try #require(many))
    try await house.library.complete()
    await house.library.packsChanged()
    let kept = try await VectorShelf.identities(in: house.vault)
    #expect(kept.count == 2 && kept.values.allSatisfy { $0 == lines.count })
    #expect(try await first(question) == lines[0])
    #expect(try await first("What is heard after dark?") == lines[2])
    #expect(try await first("Où est l'animal ?") == lines[3])
    // From one language to another.
    #expect(try await first("Was hört man in der Nacht?") == lines[2])
    #expect(try await house.unready(in: nil, for: question) == nil)

    _ = try await home.all(RemovePack.self, PackInput(id: "use-multilingual-3-q6"))
    #expect(try await house.unready(in: nil, for: question) == nil, "nobody has asked since")
    _ = try await first(question)
    #expect(try await house.unready(in: nil, for: question)?.contains("packs pull") == true)
    try await house.library.complete()
    #expect(try await VectorShelf.identities(in: house.vault).count == 1)
    await house.close()
  }
}
