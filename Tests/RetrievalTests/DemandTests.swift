import Testing

@testable import Retrieval

@Suite("What a question insists on")
struct DemandTests {
  @Test(
    "Codes, years, months, numbered things and names of two words must stand there",
    arguments: [
      ("What does error F7 mean?", "Error F2: no water.", "F7"), ("What does error F7 mean?", "F7: door open", nil),
      ("What is the rent for Unit 5?", "Unit 4 costs 685 crowns.", "5"),
      ("How many were counted in 1745?", "In 1731 there were 40.", "1745"),
      ("What was paid in April 2024?", "Paid on 2024-03-12.", "April"),
      ("What was paid in April 2024?", "On 2024-04-12.", nil),
      ("What was paid in June 2024?", "On 2024-03-06.", "June"), ("What was paid in June 2024?", "On 6/3/2024.", nil),
      ("How much is the flat at 20 Mill Lane?", "The flat at 18 Mill Lane", "20"),
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
    #expect(RequiredDetails(question).unmet(in: text, among: text) == missing)
  }

  @Test("Another code of the same document does not stand for the one that is asked for, wherever that stands")
  func elsewhere() {
    #expect(
      RequiredDetails("What does error F7 mean?").unmet(in: "F2: no water.", among: "F2: no water. F7: door.") == "F7")
  }

  @Test(
    "Names and months that a text does not have are told, with which it may be about something else",
    arguments: [
      ("What was Martin's net pay?", "Orla Devenney. Net pay 3,213.50", "Martin" as String?),
      ("What was Orla’s net pay?", "Orla Devenney. Net pay 3,213.50", nil),
      ("What was the net pay in July?", "Pay date 30/10/2026. Net pay 3,213.50", "July"),
      ("What was the net pay in October?", "Pay date 30/10/2026. Net pay 3,213.50", nil),
      ("What was the net pay in October?", "Period 10/2026. Net pay 3,213.50", nil),
      ("Combien a-t-on payé en juillet ?", "Facture du 3 mars 2025", "juillet"),
      ("Can I come on Sundays?", "Open from Monday to Friday.", nil),
      ("Should I'd be late, does DIN 1961 count?", "Nothing of it", nil),
      ("May I barbecue?", "Fires are forbidden.", nil),
    ])
  func unsaid(question: String, text: String, missing: String?) {
    #expect(RequiredDetails(question).unsaid(in: text, names: true) == missing)
  }

  @Test("Where every noun has a capital, months alone are told")
  func unsaidInGerman() {
    let details = RequiredDetails("Wie hoch war die Zahlung im Juli?")
    #expect(details.unsaid(in: "Abrechnung vom 3. März", names: false) == "Juli")
    #expect(details.unsaid(in: "Abrechnung vom 3.7.2025", names: false) == nil)
  }
}
