import Documents
import Foundation
import Testing

@Suite("Tables of separated values")
struct CSVTests {
  private let parser = InProcess()

  private func blocks(_ text: String) throws -> [String] {
    let document = try parser.parse(text, "table.csv")
    #expect(document.info.kind == .csv)
    return document.blocks.map(\.text)
  }

  @Test("Lines above the names of the columns stay what they are: whose account it is, and from when to when")
  func statement() throws {
    let text = """
      "Volksbank";"Turnover"
      "Holder:";"Ann Meyer"
      "Period";"01.04.2025 - 30.04.2025"
      "At first";"982,17 EUR"

      "Day";"Payee";"Kind";"Amount";"Balance"
      "01.04.2025";"Market";"Card";"-46,38";"935,79"
      "07.04.2025";"Market";"Card";"-52,71";"802,93"
      "08.04.2025";"Bakery";"Card";"-2,71";"800,22"
      "09.04.2025";"Market";"Card";"-50,00";"750,22"
      "10.04.2025";"Station";"Card";"-9,90";"740,32"

      "Balance on 30.04.2025";"740,32 EUR"
      """
    let rows = try blocks(text)
    #expect(
      rows.prefix(6) == [
        "Volksbank: Turnover", "Holder: Ann Meyer", "Period: 01.04.2025 - 30.04.2025", "At first: 982,17 EUR",
        "Day | Payee | Kind | Amount | Balance",
        "Day: 01.04.2025; Payee: Market; Kind: Card; Amount: -46,38; Balance: 935,79",
      ])
    #expect(rows.count == 11 && rows.last == "Balance on 30.04.2025: 740,32 EUR")
  }

  @Test("Several of them may stand in one line")
  func several() throws {
    let text = """
      Card;Corvane;Holder;Ann Meyer;Ending;6628
      Limit;4500.00;Owed before;612.48;Rate;23.9%

      Day;Posted;Payee;Place;Kind;Amount;Currency;Note
      02/05/2025;03/05/2025;Market;Wells;Food;64.17;;
      03/05/2025;05/05/2025;Garden Centre;Wells;Garden;38.95;;
      09/05/2025;12/05/2025;Hotel;Freiburg;Travel;318.40;EUR 371.00;3 nights
      """
    let rows = try blocks(text)
    #expect(
      rows.prefix(2) == [
        "Card Corvane Holder Ann Meyer Ending 6628", "Limit 4500.00 Owed before 612.48 Rate 23.9%",
      ])
    #expect(rows.last?.hasPrefix("Day: 09/05/2025; Posted: 12/05/2025; Payee: Hotel") == true)
  }

  @Test("So do titles of a sheet that was written out with all its separators, and the sign that says which those are")
  func sheet() throws {
    let text =
      "sep=;\nHousehold 2025;;;\n;;;\nMonth;Rent;Power;Water\nMay;600;40;12\nJune;600;38;11\nJuly;600;30;9\n;;;\nPaid by Ann;;;\n"
    #expect(
      try blocks(text) == [
        "Household 2025", "Month | Rent | Power | Water", "Month: May; Rent: 600; Power: 40; Water: 12",
        "Month: June; Rent: 600; Power: 38; Water: 11", "Month: July; Rent: 600; Power: 30; Water: 9", "Paid by Ann",
      ])
  }

  @Test(
    "The first line names the columns where it may, and no row of a table without names becomes one",
    arguments: [
      ("A;B;C;D\n1;2;3;4\n5;6;7;8\n", "A | B | C | D"), ("A;B;C\nx;y;;\nx;y;z;\nx;y;z;\n", "A | B | C"),
      ("Day;Payee;Amount;\nMay 1;EDF;64;\nMay 2;Bo;9;\n", "Day | Payee | Amount"),
      ("1;Bonn;;\n2;Kiel;12;x\n3;Ulm;13;y\n", "1 | Bonn |  | "), ("Name;City\nAnn;Bonn\nBo;Kiel\n", "Name | City"),
    ])
  func plain(text: String, first: String) throws {
    #expect(try blocks(text).first == first)
  }

  @Test("The sign of the euro is one in files of banks that write no UTF-8")
  func euro() throws {
    let text = "Tag;Empfänger;Betrag (€)\n1;Bäckerei;3,20 €\n2;Käserei;4,10 €\n"
    let document = try parser.parse(try #require(text.data(using: .windowsCP1252)), "umsatz.csv")
    #expect(document.info.encoding == "windows-1252")
    #expect(document.blocks.map(\.text).last == "Tag: 2; Empfänger: Käserei; Betrag (€): 4,10 €")
  }
}
