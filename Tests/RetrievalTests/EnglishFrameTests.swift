import Testing

@testable import Retrieval

@Suite("Questions with their small words in English")
struct EnglishFrameTests {
  @Test(
    "Small words are exchanged, longest phrases first; all others, signs and numbers stay",
    arguments: [
      (
        "de", "Wie hoch ist die Nachzahlung in der Stromrechnung 2023?",
        "how much is the Nachzahlung in the Stromrechnung 2023?"
      ),
      (
        "de", "Wie viele Arbeitsstunden leisten Mitglieder je Geschäftsjahr?",
        "how many Arbeitsstunden leisten Mitglieder per Geschäftsjahr?"
      ),
      ("de", "Bis wann muss ich kündigen (Vertrag K-7)?", "until when must I kündigen (Vertrag K-7)?"),
      ("fr", "Quel est le total TTC de la facture ?", "what is the total TTC of the facture ?"),
      ("fr", "À quelle heure ferme l’escalier d'honneur ?", "at what time ferme the escalier of honneur ?"),
      ("fr", "Y a-t-il un parking aujourd’hui ?", "is there a parking aujourd’hui ?"),
      ("fr", "Est. Ce que dit-il ?", "is. this what dit-he ?"),
      ("en", "What is in the box?", "What is in the box?"), ("de", "", ""),
    ])
  func framed(language: String, question: String, framed: String) {
    #expect(EnglishFrame.of(question, from: language) == framed)
  }
}
