import Testing

@testable import Assistant

@Suite("What kind of turn a question is")
struct TurnRecognitionTests {
  static let library = TurnRecognition.Situation(hasDocuments: true, titles: ["Boiler manual", "lease.pdf"])

  @Test(
    "Its words decide",
    arguments: [
      ("When must the filter be changed?", TurnKind.documents),
      ("What does the lease say about pets?", .documents),
      ("Summarise the boiler manual", .wholeDocument),
      ("Give me a summary of the whole document", .wholeDocument),
      ("Extract all deadlines from the lease", .wholeDocument),
      ("List the filters", .documents),
      ("Rewrite this: we regret to inform you that it is late", .transform),
      ("Translate \"good morning to everyone\" into German", .transform),
      ("Please shorten this:\nThe long text stands on its own lines.", .transform),
      ("make it shorter", .transform),
      ("Write a short poem about rain.", .talk), ("Could you tell me a funny story about a ship?", .talk),
      ("Come up with three names for a boat", .talk), ("Schreib mir ein Gedicht über den Regen", .talk),
      ("Tell me a bit about the deposit", .documents), ("Tell me about the filter", .documents),
      ("Write a table of the costs", .documents), ("Write an answer to this letter", .documents),
      ("What should I write to end the lease?", .documents), ("Write what the lease says about pets", .documents),
      ("Hello", .talk), ("Thank you", .talk), ("Who are you?", .talk), ("", .talk),
    ])
  func recognised(question: String, kind: TurnKind) {
    #expect(TurnRecognition.kind(of: question, Self.library) == kind)
  }

  @Test("Without documents everything is talk, except text that is to be changed")
  func emptyLibrary() {
    let empty = TurnRecognition.Situation(hasDocuments: false)
    #expect(TurnRecognition.kind(of: "When must the filter be changed?", empty) == .talk)
    #expect(TurnRecognition.kind(of: "Translate this: good morning, neighbour", empty) == .transform)
  }
}

@Suite("Follow-ups")
struct FollowUpTests {
  static let before = ["Who pays for repairs?"]

  @Test(
    "A question that leans on the one before is completed from it",
    arguments: ["And for tenants?", "What about the garden?", "How often is it done?", "why?"])
  func completed(question: String) {
    let whole = FollowUp.completed(question, after: Self.before)
    #expect(whole?.hasPrefix("Who pays for repairs — ") == true)
    #expect(whole?.hasSuffix(question) == true)
  }

  @Test(
    "A question that stands on its own is left alone",
    arguments: ["When does the lease end?", "Which filters fit the boiler of 2019 with two pumps?"])
  func alone(question: String) { #expect(FollowUp.completed(question, after: Self.before) == nil) }

  @Test("Nothing is completed at the beginning of a conversation")
  func beginning() { #expect(FollowUp.completed("And for tenants?", after: []) == nil) }
}

@Suite("Settled sentences")
struct SettledSentencesTests {
  @Test("A sentence settles when the next has begun, and the last at the end; wherever the pieces are cut")
  func settle() {
    let text = "The pressure is 3.2 bar. Change the filter, e.g. in May. Done"
    for size in 1...9 {
      var settled = SettledSentences()
      var found: [SettledSentences.Sentence] = []
      var rest = text[...]
      while !rest.isEmpty {
        found += settled.add(String(rest.prefix(size)))
        rest = rest.dropFirst(size)
      }
      found += settled.end()
      #expect(found.map(\.text) == ["The pressure is 3.2 bar.", "Change the filter, e.g. in May.", "Done"])
      #expect(found.map(\.start) == [0, 25, 57])
    }
  }
}

@Suite("Places of citations")
struct CitationPlaceTests {
  @Test("An id names the place and is read back")
  func roundTrip() {
    let place = CitationPlace(document: 12, range: 3400..<3655)
    #expect(place.id == "12.3400.3655")
    #expect(CitationPlace(id: place.id) == place)
  }

  @Test(
    "What is no id is refused",
    arguments: [
      "1.0.9223372036854775807", "1.9223372036854775806.9223372036854775807", "", "12", "12.3", "12.5.5", "12.9.3",
      "a.1.2", "1.-2.3", "1.2.3.4", "../x",
    ])
  func refused(id: String) { #expect(CitationPlace(id: id) == nil) }
}
