import Testing

@testable import Retrieval

@Suite("Sentences")
struct SentenceTests {
  static let cases: [(String, [String])] = [
    ("One. Two! Three?", ["One.", "Two!", "Three?"]),
    ("Dr. Smith paid 3.50 dollars. Mr. Jones did not.", ["Dr. Smith paid 3.50 dollars.", "Mr. Jones did not."]),
    ("It is 90 euros incl. VAT a day. Call us.", ["It is 90 euros incl. VAT a day.", "Call us."]),
    ("See Fig. 3 and Eq. 4. They agree.", ["See Fig. 3 and Eq. 4.", "They agree."]),
    ("J. R. R. Tolkien wrote it. He was born in 1892.", ["J. R. R. Tolkien wrote it.", "He was born in 1892."]),
    ("It grew by 4.5 percent, i.e. more than ever. Good.", ["It grew by 4.5 percent, i.e. more than ever.", "Good."]),
    ("Wait... what? Nothing… Then it came.", ["Wait... what?", "Nothing…", "Then it came."]),
    ("He said \"Stop.\" Then he left.", ["He said \"Stop.\"", "Then he left."]),
    (
      "We met at 5 p.m. Everyone came. The U.S. government agreed.",
      ["We met at 5 p.m.", "Everyone came.", "The U.S. government agreed."]
    ),
    ("He came from the U.S. The train was late.", ["He came from the U.S.", "The train was late."]),
    (
      "Apples, pears, etc. Prices rose. Apples etc. are cheap.",
      ["Apples, pears, etc.", "Prices rose.", "Apples etc. are cheap."]
    ),
    ("In 2024. The next year.", ["In 2024.", "The next year."]),
    ("1. First item\n2. Second item", ["1. First item\n2. Second item"]),
    ("First part\n\nSecond part", ["First part", "Second part"]),
    ("A line\nthat goes on. Next.", ["A line\nthat goes on.", "Next."]),
    (
      "Open sqlite3.h now. See v2.1.3 at example.com. Done.",
      ["Open sqlite3.h now.", "See v2.1.3 at example.com.", "Done."]
    ),
    // German
    ("Am 3. Mai zog er ein. Die Miete stieg.", ["Am 3. Mai zog er ein.", "Die Miete stieg."]),
    ("Ulmenweg 7, 3. OG links. Es gilt.", ["Ulmenweg 7, 3. OG links.", "Es gilt."]),
    (
      "Nach § 5 Abs. 2 Nr. 3 BGB gilt das, z. B. für Mieter. Mehr nicht.",
      ["Nach § 5 Abs. 2 Nr. 3 BGB gilt das, z. B. für Mieter.", "Mehr nicht."]
    ),
    ("Das kostet ca. 5 Mio. Euro bzw. mehr. Über alles.", ["Das kostet ca. 5 Mio. Euro bzw. mehr.", "Über alles."]),
    ("Er sagte: „Komm!“ Dann ging er.", ["Er sagte: „Komm!“", "Dann ging er."]),
    ("Das war d. h. nichts. Ende.", ["Das war d. h. nichts.", "Ende."]),
    (
      "Wir trafen uns vom 1. bis zum 5. Juni. Schön war es.",
      ["Wir trafen uns vom 1. bis zum 5. Juni.", "Schön war es."]
    ),
    // French
    ("M. Dupont est venu. Élodie aussi.", ["M. Dupont est venu.", "Élodie aussi."]),
    ("Voir p. ex. l'art. 5. C'est clair.", ["Voir p. ex. l'art. 5.", "C'est clair."]),
    ("Vraiment\u{a0}? Oui\u{a0}! « Bon. » Il partit.", ["Vraiment\u{a0}?", "Oui\u{a0}!", "« Bon. »", "Il partit."]),
    ("", []), ("   \n ", []), ("...", ["..."]), ("No stop at the end", ["No stop at the end"]),
  ]

  @Test("End where a reader would end them", arguments: cases)
  func ends(text: String, expected: [String]) { #expect(Sentences.split(text) == expected) }

  @Test("Together they are the whole text but for white space, in order")
  func complete() {
    for (text, _) in Self.cases {
      let joined = Sentences.split(text).joined().filter { !$0.isWhitespace }
      #expect(joined == text.filter { !$0.isWhitespace })
    }
  }

  @Test(
    "The raised number of a note is no sentence and no word of one, and ends none that goes on",
    arguments: [
      ("It must be static. ² It is kept in /etc.", ["It must be static.", "It is kept in /etc."]),
      ("It must be static.²\nIt is kept.", ["It must be static.", "It is kept."]),
      ("He said \"never.\"¹² She left.", ["He said \"never.\"", "She left."]),
      ("³ Systems with shadow passwords differ.", ["Systems with shadow passwords differ."]),
      ("A file is local. ²\n\nOther files are not.", ["A file is local.", "Other files are not."]),
      ("The room has 12 m²", ["The room has 12 m²"]), ("²H is heavy.", ["²H is heavy."]),
      ("It has 5 m². It is let.", ["It has 5 m².", "It is let."]),
      ("²", []),
    ] as [(String, [String])])
  func notes(text: String, expected: [String]) { #expect(Sentences.split(text) == expected) }

  @Test("Marks in a row are looked at once, and a row of them is no sentence's end before a small letter")
  func rows() {
    let dots = String(repeating: ".", count: 60_000)
    for text in [dots + "x", dots + " x", dots + String(repeating: "'", count: 60_000) + "x"] {
      #expect(Sentences.split(text) == [text])
    }
    #expect(Sentences.split("One" + dots + " Two") == ["One" + dots, "Two"])
    #expect(Sentences.split("一.。二。 三") == ["一.。", "二。", "三"])
  }
}
