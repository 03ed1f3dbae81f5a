import Testing

@testable import Retrieval

@Suite("Evidence")
struct SupportTests {
  private let lease = """
    The tenant pays 1.250,50 euros on the third working day of each month. The deposit is three months' rent. \
    Anna Berger signed the contract on 3 May 2024 in Vienna. Pets are not allowed in the house.
    """

  private func check(_ sentence: String) -> Support.Result {
    Support.check(
      sentence, against: [.init(id: 0, text: "Something about wings and lift."), .init(id: 7, text: lease)])
  }

  @Test(
    "A sentence that repeats or rewords what a passage says is tied to it",
    arguments: [
      ("The deposit is three months' rent.", "The deposit is"),
      ("The deposit amounts to 3 months of rent.", "The deposit is"),
      ("Each month the tenant must pay 1250.5 euros.", "The tenant pays"),
      ("The contract was signed by Anna Berger in Vienna.", "Anna Berger"),
      ("Pets are not allowed.", "Pets are not"), ("It was signed on May 3, 2024 by Berger.", "Anna Berger"),
    ])
  func supported(sentence: String, place: String) {
    guard case .supported(let verdict) = check(sentence) else { Issue.record("\(check(sentence))"); return }
    #expect(verdict.candidate == 7)
    #expect(String(decoding: Array(lease.utf8)[verdict.range], as: UTF8.self).contains(place))
  }

  @Test(
    "A date is a month with its day or year, or a year, and nothing that only begins like a month",
    arguments: [
      ("It begins on 3 May.", true), ("It begins on the 3rd of May.", true), ("Since March 2024", true),
      ("In 1998", true),
      ("Am 3. Dezember", true), ("le 1er mars", true), ("2. Decide on it.", false), ("1. Marked with 5 stars", false),
      ("You may pay 300 euros.", false), ("It holds 1200 pages.", false),
    ])
  func dates(text: String, names: Bool) { #expect(Facts.namesDate(text) == names) }

  @Test(
    "A wrong number, name, date or negation is never supported",
    arguments: [
      "The deposit is four months' rent of 5 months.", "The tenant pays 1.350,50 euros each month.",
      "The contract was signed by Anna Bauer in Vienna.", "Anna Berger signed the contract on 4 May 2024.",
      "Anna Berger signed the contract on 3 June 2024.", "Pets are allowed in the house.",
      "The tenant does not pay on the third working day of each month.", "Boundary layers separate behind the wing.",
      "The landlord repairs the heating in winter.",
    ])
  func unsupported(sentence: String) {
    guard case .unsupported = check(sentence) else { Issue.record("\(check(sentence))"); return }
  }

  @Test("A sentence that says nothing needs no evidence", arguments: ["Here it is:", "Yes.", "", "…"])
  func nothing(sentence: String) { #expect(check(sentence) == .nothingToSupport) }

  @Test("The missing facts are named")
  func missing() {
    guard
      case .unsupported(.notInPassage(let facts), let nearest) = check(
        "Anna Bauer signed the contract in Vienna on 3 May 2024.")
    else { Issue.record("supported"); return }
    #expect(facts == ["Bauer"])
    #expect(nearest?.candidate == 7)
  }

  @Test("Vectors let other words support, but not other numbers")
  func vectors() {
    let candidate = Support.Candidate(
      id: 1, text: "The tenant owes rent of 900 euros. Cats sleep.", vectors: [[1, 0], [0, 1]])
    let same = Support.check("The renter must pay 900 euros.", vector: [1, 0], against: [candidate])
    guard case .supported = same else { Issue.record("\(same)"); return }
    let other = Support.check("The renter must pay 950 euros.", vector: [1, 0], against: [candidate])
    guard case .unsupported = other else { Issue.record("\(other)"); return }
  }

  @Test(
    "Numbers are equal however they are written",
    arguments: [
      ("1,250.50", "1250.5"), ("1.250,50", "1250.5"), ("1'250.5", "1250.5"), ("12%", "12"), ("€3,5", "3.5"),
      ("1.250", "1250"),
      ("0.125", "0.125"), ("1,000,000", "1000000"), ("3rd", "3"), ("5km", "5"), ("-4", "-4"),
    ])
  func numbers(text: String, value: String) { #expect(Facts.number(text) == value) }

  @Test("What only looks like a number is none", arguments: ["v2", "2024-05-03", "1.2.3", "E-4711", "-", ".", "abc"])
  func noNumbers(text: String) { #expect(Facts.number(text) == nil) }

  @Test(
    "A number longer than any, or of other signs than 0 to 9, makes no date and ends nothing",
    arguments: [
      "12-99999999999999999999999-2025", "99999999999999999999999/2025", "12/²/2025", "٣/12/2025", "12.٣.2025",
    ])
  func noDates(code: String) {
    #expect(Facts.monthNames(in: "The contract \(code)").isEmpty)
    #expect(Facts("It ends in March 2025.").missing(in: "The contract \(code)").contains("March"))
  }

  private func signals(_ scores: [Double], plain: Double) -> Signals {
    Signals(
      scores.map { score in
        var features = KeySentences.Features()
        features.plain = plain
        return KeySentences.Ranked(candidate: 0, score: score, features: features)
      }, hasMeaning: true)
  }

  @Test("The better the best sentence is, and the more it stands out, the surer an answer is there")
  func confidence() {
    let steps = [2.0, 4.0, 6.0, 8.0].map { Confidence.of(signals([$0, 1, 1], plain: 0.4)) }
    #expect(steps == steps.sorted())
    let apart = signals([7, 2, 1], plain: 0.5), alike = signals([7, 7, 6.9], plain: 0.5)
    #expect(apart.gap > alike.gap && Confidence.of(apart) > Confidence.of(alike))
    let curve = Confidence.withVectors
    #expect(Confidence.of(signals([8, 5, 4], plain: 0.8)) >= curve.sure)
    #expect(Confidence.of(signals([0.5, 0.4], plain: 0.05)) < curve.near)
    #expect(Confidence.of(Signals()) < curve.near)
  }

  @Test("What the judge says moves the same ranking from no answer to an answer")
  func judged() {
    var near = signals([7, 5, 4], plain: 0.6)
    let said = [-6.0, -2, 0, 2, 6].map {
      near.answers = $0
      return Confidence.of(near)
    }
    #expect(said == said.sorted())
    #expect(said.first! < Confidence.withJudge.near && said.last! >= Confidence.withJudge.sure)
    near.answers = nil
    #expect(Confidence.curve(for: near) == Confidence.withVectors)
  }

  @Test("No signal speaks against an answer")
  func monotone() {
    for curve in [Confidence.withJudge, Confidence.withVectors, Confidence.wordsOnly] {
      #expect(curve.best >= 0 && curve.gap >= 0 && curve.plain >= 0 && curve.answers >= 0)
      #expect(curve.near < curve.sure)
    }
  }
}
