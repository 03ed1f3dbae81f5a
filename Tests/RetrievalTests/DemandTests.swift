import Testing

@testable import Retrieval

@Suite("What a question insists on")
struct DemandTests {
  @Test(
    "The noun that is asked for is told from the words around it",
    arguments: [
      ("How much rum goes into the plum cake?", ["rum"]), ("What salary does Marta expect?", ["salary"]),
      ("How many calories does one dumpling have?", ["calories"]), ("What is the wifi password?", ["password"]),
      ("What is the landlord's phone number?", ["phone"]), ("How much council tax do we pay?", ["tax"]),
      ("Who is the headteacher of the school?", ["headteacher"]), ("On which platform?", ["platform", "track"]),
      ("In which year was Marta born?", ["born", "birth"]), ("Who founded the circle?", ["founded"]),
      ("What interest accrues on it?", ["interest", "accrues"]),
      ("What annoyed the testers about it?", []),
      ("How many minutes does it take?", []), ("What is the price of the ticket?", []),
      ("Which city was it held in?", []),
      ("What city was it held in?", []), ("What does it cost?", []), ("What is the active substance of it?", []),
      ("What is the annual fee?", []), ("Who elects him?", []), ("When does it end?", []),
      ("What happens then?", []), ("Wie hoch ist die Miete?", []), ("", []), ("What is the", []), ("how much", []),
    ])
  func wanted(question: String, nouns: [String]) { #expect(Demand(question).wanted == nouns) }

  @Test(
    "Codes, years, months, numbered things and a single name must stand there",
    arguments: [
      ("What does error F7 mean?", "Error F2: no water.", "F7"), ("What does error F7 mean?", "F7: door open", nil),
      ("What is the rent for Unit 5?", "Unit 4 costs 685 crowns.", "5"),
      ("How many were counted in 1745?", "In 1731 there were 40.", "1745"),
      ("What was paid in April 2024?", "Paid on 2024-03-12.", "April"),
      ("What was paid in April 2024?", "On 2024-04-12.", nil),
      ("What was paid in June 2024?", "On 2024-03-06.", "June"), ("What was paid in June 2024?", "On 6/3/2024.", nil),
      ("How much is the flat at 20 Mill Lane?", "The flat at 18 Mill Lane", "20"),
      ("How much did I spend at the shop of Aldi?", "Halden Cycles", "Aldi"),
      ("How much Corvadin does an 80-year-old take?", "Corvadin: over 75 half a tablet.", nil),
      ("Who approves a claim of 700 euros?", "Claims over 500 euros are approved by her.", nil),
      ("Is Marta of Toller the head?", "Marta is the head.", nil),
      ("Was kostet der Zählertausch?", "Er ist kostenlos.", nil),
      ("What is the limit in South America?", "North America: 210 euros", "South America"),
      ("What is the limit in South America?", "South America: 210 euros", nil),
      ("What is the mean range at Dray Point?", "Dray Island | 1.7 m", "Dray Point"),
      ("Does Marta Ellingham drive?", "Ms Ellingham has a licence.", nil),
      ("Does Marta Ellingham drive?", "Josephine Ellingham has a licence.", "Marta Ellingham"),
      ("Is the Debian Linux kernel free?", "The Debian Project gives it away.", nil),
      ("What does Marta Ellingham do?", "Visit Ellingham, who builds bridges.", nil),
      ("Where is the Peat Office?", "The Office for Peat is in Varby.", nil),
      ("Should I take it 12 hours later?", "Take it within eight hours.", nil),
    ] as [(String, String, String?)])
  func unmet(question: String, text: String, missing: String?) {
    #expect(Demand(question).unmet(in: text, among: text)?.word == missing)
  }

  @Test(
    "How loud, in which room, born when: only what speaks of it is an answer",
    arguments: [
      ("How loud is the machine?", "The machine heats in 45 seconds; the tank holds 1.8 litres.", false),
      ("How loud is the machine?", "At most 38dB(A).", true), ("How loud is it?", "It is very quiet.", true),
      ("In which room is the lecture?", "Lecture hall B", true), ("In which room is the lecture?", "By Ann Lee", false),
      ("How heavy is it?", "It weighs 3 kg.", true), ("When was she born?", "She lives here since 1950.", false),
      ("What is the rent?", "The rent is due.", true),
    ])
  func literal(question: String, text: String, isNamed: Bool) {
    #expect(Demand(question).isNamed(among: Question.words(in: text)) == isNamed)
    #expect(Demand(question).isLiteral != (question == "What is the rent?"))
  }

  @Test("A name may stand beside what answers, a code may not")
  func elsewhere() {
    #expect(Demand("Which shop is that of Aldi?").unmet(in: "The shop.", among: "Aldi. The shop.") == nil)
    #expect(
      Demand("What does error F7 mean?").unmet(in: "F2: no water.", among: "F2: no water. F7: door.")
        == Demand.Lack(word: "F7", isCertain: true))
  }
}
