import Foundation
import TestSupport
import Testing

@testable import Assistant

/// The tables of turns that Benchmarks/answers runs through the whole program, held here to what their words decide.
@Suite("Tables of turns")
struct TurnTableTests {
  struct Case: Decodable, Sendable, CustomTestStringConvertible {
    struct Wish: Decodable, Sendable {
      var completed: [String]?
    }
    var kind: String
    var before: [String]?
    var question: String
    var wish: Wish
    var testDescription: String { question }
  }

  static let cases: [Case] = {
    let file = Checkout.root.appending(path: "Benchmarks/answers/turns.jsonl")
    do {
      return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        .map { try JSONDecoder().decode(Case.self, from: Data($0.utf8)) }
    } catch { return [] }
  }()

  static let library = TurnRecognition.Situation(
    hasDocuments: true,
    titles: [
      "constitution.txt", "R-intro.pdf", "Guidebook.txt", "debian-faq.en.pdf", "project-history.en.pdf",
      "An Introduction to R", "A Brief History of Debian",
    ])

  @Test("There are at least thirty of each kind")
  func many() {
    for kind in ["whole_document", "transform", "follow_up"] { #expect(Self.cases.count { $0.kind == kind } >= 30) }
  }

  @Test("Each is recognised from its words", arguments: cases)
  func recognised(one: Case) {
    let kind = TurnRecognition.kind(of: one.question, Self.library)
    #expect(kind.rawValue == (one.kind == "follow_up" ? "documents" : one.kind))
  }

  @Test("Each follow-up is completed from what was asked before", arguments: cases.filter { $0.kind == "follow_up" })
  func completed(one: Case) throws {
    let whole = try #require(FollowUp.completed(one.question, after: one.before ?? []))
    #expect(whole.contains(try #require(one.wish.completed?.first)))
    let given = one.question.split { !$0.isLetter && !$0.isNumber }.last.map(String.init) ?? ""
    #expect(whole.contains(given))
  }

  @Test(
    "A name in a follow-up stands for the one before it",
    arguments: [
      (["When was Debian 2.2 Potato released?"], "What about Etch?", "When was Etch released?"),
      (["Where was Debconf2 held?", "And Debconf3?"], "And Debconf11?", "Where was Debconf11 held?"),
      (["What does Constitution affect in NetHack?"], "And Dexterity?", "What does Dexterity affect in NetHack?"),
      (["Who led it in May 2001?"], "And in June 2004?", "Who led it in June 2004?"),
      (["Who pays for repairs?"], "And for tenants?", "Who pays for repairs — And for tenants?"),
      (["How much is the rent for the flat?"], "And the deposit?", "How much is the deposit for the flat?"),
      (["Which function extracts the coefficients?"], "And the residuals?", "Which function extracts the residuals?"),
      (
        ["How long does the leader serve?"], "And the secretary?", "How long does the leader serve — And the secretary?"
      ),
    ])
  func substituted(before: [String], question: String, whole: String) {
    #expect(FollowUp.completed(question, after: before) == whole)
  }
}
