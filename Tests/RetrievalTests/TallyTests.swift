import Foundation
import Testing

@testable import Retrieval

@Suite("Questions about a table's rows together")
struct TallyTests {
  static let text = """
    Spending of the house

    Date | Category | Payee | Amount | Paid with
    Date: 2025-01-04; Category: Groceries; Payee: Fenwick Market; Amount: 62.40; Paid with: card
    Date: 2025-02-02; Category: Groceries; Payee: Greenleaf; Amount: 45.90; Paid with: card
    Date: 2025-03-01; Category: Groceries; Payee: Greenleaf; Amount: 52.10; Paid with: cash
    Date: 2025-03-05; Category: Transport; Payee: City Bus; Amount: 26; Paid with: card
    Date: 2025-03-19; Category: Eating out; Payee: Luigi's; Amount: 44.75
    Date: 2025-03-21; Category: Groceries; Payee: Fenwick Market; Amount: 66.60; Paid with: card

    Kept by hand.
    """

  @Test(
    "Of an account what went out stands in a column of its own, in which other rows have nothing",
    arguments: [
      ("What was the largest single payment out of the account in September?", "1184.20", 1),
      ("What was the largest debit?", "1184.20", 1), ("What was the smallest credit?", "280.00", 1),
      ("How much did I spend in September?", "1196.20", 2), ("How much did I receive in September?", "1420.00", 2),
    ])
  func account(question: String, value: String, rows: Int) throws {
    let text = """
      Account | Date | Description | Debit Amount | Credit Amount | Balance
      Account: 5518; Date: 31/08/2026; Description: BALANCE FORWARD; Balance: 2,417.63
      Account: 5518; Date: 01/09/2026; Description: MORTGAGE; Debit Amount: 1,184.20; Balance: 1,233.43
      Account: 5518; Date: 02/09/2026; Description: RENT; Credit Amount: 1,140.00; Balance: 2,373.43
      Account: 5518; Date: 08/09/2026; Description: CHILD BENEFIT; Credit Amount: 280.00; Balance: 2,653.43
      Account: 5518; Date: 30/09/2026; Description: ACCOUNT FEE; Debit Amount: 12.00; Balance: 2,641.43
      """
    let table = try #require(Table.tables(in: text).first)
    let tally = try #require(Tally(question, of: table, named: "Transactions"), "\(question)")
    #expect(tally.rows.count == rows && tally.value == Decimal(string: value))
  }

  @Test(
    "What rows come to is worked out where every word of the question is accounted for",
    arguments: [
      ("How much did I spend on groceries in March 2025?", "118.7", 2),
      ("How much did I spend on groceries?", "227", 4),
      ("What was the total of all grocery expenses?", "227", 4), ("How much did I pay Greenleaf in total?", "98", 2),
      ("How many times did I eat at Luigi's?", "1", 1), ("How many payments were made with card?", "4", 4),
      ("What was my largest grocery bill?", "66.6", 1), ("What was the cheapest expense?", "26", 1),
      ("What did I spend on groceries on average in March?", "59.35", 2),
      ("How much did I spend on groceries in April 2025?", "0", 0),
    ])
  func worked(question: String, value: String, rows: Int) throws {
    let table = try #require(Table.tables(in: Self.text).first)
    let tally = try #require(Tally(question, of: table, named: "Spending of the house"), "\(question)")
    #expect(tally.rows.count == rows)
    if rows > 0 { #expect("\(tally.value)" == value) }
  }

  @Test(
    "Nothing is worked out where a word of the question means what no cell says",
    arguments: [
      "How much did I spend at Aldi?", "How much did I spend before March?",
      "How much did I spend on rent and groceries?",
      "In which month did I spend most?", "How much did I spend on groceries per month?", "When did I go to Luigi's?",
      "How much did I spend on gym membership?", "How many bedrooms does the house have?",
      "How much more did I spend on groceries than on transport?", "How much does it cost?",
      "How many groceries are there?",
      "What is the number of Greenleaf?", "How often is the card paid?", "What does card mean?",
    ])
  func declined(question: String) throws {
    let table = try #require(Table.tables(in: Self.text).first)
    #expect(Tally(question, of: table, named: "Spending of the house") == nil)
  }

  @Test("Of a column of numbers that is asked for by name the sum is meant")
  func columns() throws {
    let table = try #require(
      Table.tables(in: "Day | Kilometres\nDay: Monday; Kilometres: 12\nDay: Friday; Kilometres: 30\n").first)
    let all = try #require(Tally("How many kilometres did I go in all?", of: table, named: "Trips"))
    #expect(all.kind == .sum && all.value == 42)
    let one = try #require(Tally("How many kilometres did I go on Monday?", of: table, named: "Trips"))
    #expect(one.value == 12)
  }

  static let payslip = """
    Harbourne Print - pay advice

    Employee | Leonora Quist | Payroll number | 00417
    Description | Units | Rate | Amount £
    Basic pay | 2,554.40
    Overtime | 4 | 23.07 | 92.28
    Allowance for late shifts | 1 | 110.00 | 110.00

    Tax code of the insurance: 1257L

    Description | Amount £
    Income tax | 320.29
    National Insurance | 138.29
    Student loan | 54.00
    Total of tax and insurance | 458.58

    Kept for six years.
    Item | To date £
    Income tax | 640.58
    National Insurance | 276.58
    """

  @Test(
    "Rows between bars are added up where the question names them, and never together with what they come to",
    arguments: [
      ("What do income tax and National Insurance come to together on the April pay advice?", "458.58", 2),
      ("How much did Leonora pay for the student loan in April?", "54", 1),
      ("What do income tax and the student loan come to together?", "374.29", 2),
      ("How much do the pension and insurance come to?", nil, 0), ("How much was paid in total?", nil, 0),
      ("How much tax was paid for the student loan?", nil, 0),
      ("How much overtime was paid altogether?", nil, 0),
    ])
  func bare(question: String, value: String?, rows: Int) {
    let found = Table.tables(in: Self.payslip).lazy.compactMap {
      Tally(question, of: $0, named: "Pay advice of Leonora Quist, April")
    }.first
    #expect(found.map { "\($0.value)" } == value && found?.rows.count ?? 0 == rows, "\(question)")
  }

  @Test("What one of many costs is not added up")
  func units() {
    let text = """
      Work | Hours | Unit price | Line
      Taking the old boiler out, labour | 1.5 | 52.00 | 78.00
      Fitting the new boiler, labour | 3 | 52.00 | 156.00
      """
    let found = Table.tables(in: text).compactMap { Tally("How much did labour cost in total?", of: $0, named: "Bill") }
    #expect(Table.tables(in: text).count == 1 && found.isEmpty)
  }

  @Test("A row that already is the sum of others is not added to them, and numbers that count rows are no amounts")
  func sums() throws {
    let text =
      "Item | No | Cost\nItem: Paint; No: 1; Cost: £20\nItem: Brush; No: 2; Cost: £1,005.50\nItem: Total; Cost: £1,025.50\n"
    let table = try #require(Table.tables(in: text).first)
    let tally = try #require(Tally("How much did it cost in total?", of: table, named: "Works"))
    #expect(tally.value == Decimal(string: "1025.50") && tally.rows == [0, 1])
    #expect(Tally.written(tally.value, like: ["£20", "£1,005.50"]) == "1025.50")
  }

  static let account = """
    Date | Description | Category | Money out | Money in | Balance
    Date: 02/09/2024; Description: Salary; Category: Income; Money in: 2498.12; Balance: 3711.40
    Date: 03/09/2024; Description: Tesco; Category: Groceries; Money out: 64.18; Balance: 3647.22
    Date: 07/09/2024; Description: Lidl; Category: Groceries; Money out: 38.77; Balance: 3608.45
    Date: 10/09/2024; Description: Railway; Category: Travel; Money out: 47.20; Balance: 3561.25
    Date: 17/09/2024; Description: Railway; Category: Travel; Money in: 23.60; Balance: 3584.85
    """

  @Test(
    "In an account's statement what is meant is what was paid, in the rows' own column, and never the balances together",
    arguments: [
      ("How much did I spend on groceries?", "102.95", 2),
      ("How much did I spend on groceries in September?", "102.95", 2),
      ("What does travel cost altogether?", nil, 0), ("How much did I spend on groceries in August?", "0", 0),
      ("What was my lowest balance?", "3561.25", 1),
    ])
  func account(question: String, value: String?, rows: Int) throws {
    let lines = Self.account.split(separator: "\n").map(String.init)
    for text in [lines, lines.prefix(1) + lines.dropFirst().reversed()] {
      let table = try #require(Table.tables(in: text.joined(separator: "\n")).first)
      let tally = Tally(question, of: table, named: "statement")
      #expect(tally?.rows.count ?? 0 == rows && tally.map { "\($0.value)" } == value, "\(question)")
    }
  }

  @Test("Dates with slashes are told apart by month where those of a column can be read in one way alone")
  func slashes() {
    #expect(Tally.monthPlace(in: ["02/09/2024", "28/09/2024", ""]) == 1)
    #expect(Tally.monthPlace(in: ["09/02/2024", "9/28/2024"]) == 0)
    #expect(Tally.monthPlace(in: ["02/09/2024", "03/10/2024"]) == nil)
    #expect(Tally.monthPlace(in: ["28/09/2024", "09/28/2024"]) == nil && Tally.monthPlace(in: ["28", "a"]) == nil)
    #expect(Tally.month(of: "03/04/2025", at: 1) == 4 && Tally.month(of: "03-04-25", at: 0) == 3)
  }

  @Test("A million spaces behind a date are looked at once") func spaces() {
    let cell = "28/09/2024" + String(repeating: " ", count: 1_000_000) + "\u{2028}x"
    #expect(Tally.monthPlace(in: [cell]) == 1 && Tally.month(of: cell, at: 1) == 9)
  }

  @Test(
    "Of a date in figures the month is told, and of what only looks like one none",
    arguments: [
      ("2025-03-12", 3), ("2025-3", 3), ("2025-03-12T10:00", 3), (" 2025-03-12 10:00 ", 3), ("12.3.2025", 3),
      ("12. 3. 25", 3), ("\u{661}\u{661}.3.2025", nil), ("2025-03-12x", nil), ("2025-03-", nil), ("20250-03", nil),
      ("12.3.20255", nil), ("12.3.2025 x", nil), ("1.2.3.4", nil), ("", nil), ("-", nil),
    ])
  func figures(cell: String, month: Int?) { #expect(Tally.month(of: cell) == month) }

  @Test("Slashes and lines are not mixed in one date, nor does it go on without a gap")
  func slashesOfOneKind() {
    for cell in ["28/09-2024", "28/09/20245", "28/09/2024x", "28/09/", "128/09/2024", "1\u{20E3}/28/2024"] {
      #expect(Tally.monthPlace(in: [cell]) == nil)
    }
    #expect(Tally.monthPlace(in: ["28-09-24", "28/09/2024 10:00", "28/09/2024T10:00"]) == 1)
  }

  @Test("Dates that can be read in two ways are not told apart by month")
  func months() {
    #expect(Tally.month(of: "2025-03-12") == 3 && Tally.month(of: "12.3.2025") == 3 && Tally.month(of: "12 March") == 3)
    #expect(Tally.month(of: "03/04/2025") == nil && Tally.month(of: "Marchmont 4 and Sons Ltd of Leith") == nil)
  }

  @Test("Names of columns may hold their own signs, stand twice, or be cut off at the end of a line")
  func names() {
    #expect(Table.cells(of: "Cost: net: 12; Cost: 3", under: ["Cost", "Cost: net"]) == ["net: 12; Cost: 3", ""])
    #expect(Table.cells(of: "Cost: net: 12; Cost: 3", under: ["Cost: net", "Cost"]) == ["12", "3"])
    #expect(Table.cells(of: "A: 1; A: 2; A: 3", under: ["A", "A"]) == ["1", "2; A: 3"])
    #expect(Table.cells(of: "A: ; B: ", under: ["A", "B"]) == ["", ""])
    #expect(Table.cells(of: "A: 1; B:", under: ["A", "B"]) == ["1; B:", ""])
    #expect(Table.cells(of: "é: 1; B: ü; ö", under: ["é", "B"]) == ["1", "ü; ö"])
  }

  @Test("A table of hundreds of columns is read in one pass, and rows that take more room than there is are no table")
  func wide() throws {
    let columns = (0..<900).map { "Column \($0)" }
    let row = columns.map { "\($0): 1" }.joined(separator: "; ")
    let head = columns.joined(separator: " | ")
    let rows = Table.tables(in: head + "\n" + Array(repeating: row, count: 60).joined(separator: "\n"))
    #expect(rows.first?.rows.count == 60 && rows.first?.rows.last?.cells.last == "1")
    let thin = Array(repeating: "Column 0: 1", count: 1_112).joined(separator: "\n")
    #expect(Table.read(head + "\n" + thin).tables.isEmpty && Table.read(head + "\n" + thin).isTooLarge)
    let more = (0..<1_001).map { "Column \($0)" }.joined(separator: " | ")
    #expect(Table.tables(in: more + "\nColumn 0: 1").isEmpty && Table.read(more + "\nColumn 0: 1").isTooLarge)
    #expect(!Table.read(Self.text).isTooLarge)
  }

  @Test(
    "Of an account whose payments are below zero what went out or came in is told, in three languages",
    arguments: [
      ("Wie viel habe ich im Frischmarkt Dohle ausgegeben?", "99,09", 2),
      ("Wie viel hat Mathilda Ungerer im April insgesamt im Frischmarkt ausgegeben?", "99,09", 2),
      ("Was war die größte Ausgabe?", "785,00", 1), ("Wie viel habe ich im April ausgegeben?", "963,99", 5),
      ("Wie viel wurde im April eingenommen?", "2448,53", 2), ("Wie oft war ich im Frischmarkt Dohle?", "2", 2),
      ("How much did I spend at Frischmarkt Dohle?", "99,09", 2),
      ("How much did Mathilda receive altogether?", "2448,53", 2),
      ("What was the largest payment?", "785,00", 1), ("How much did I pay to Kraftraum Fitness in all?", "0,00", 2),
      ("Combien ai-je dépensé chez Frischmarkt Dohle ?", "99,09", 2),
      ("Combien Mathilda a-t-elle dépensé en tout en avril ?", "963,99", 5),
      ("Quelle a été la plus grosse dépense ?", "785,00", 1),
    ])
  func signed(question: String, value: String, rows: Int) throws {
    let text = """
      Tag | Empfänger | Zweck | Betrag (EUR) | Saldo (EUR)
      Tag: 01.04.2025; Empfänger: Wohnbau eG; Zweck: Miete April; Betrag (EUR): -785,00; Saldo (EUR): 1.057,17
      Tag: 02.04.2025; Empfänger: Frischmarkt Dohle; Zweck: Karte; Betrag (EUR): -46,38; Saldo (EUR): 1.010,79
      Tag: 07.04.2025; Empfänger: Frischmarkt Dohle; Zweck: Karte; Betrag (EUR): -52,71; Saldo (EUR): 958,08
      Tag: 24.04.2025; Empfänger: Kraftraum Fitness; Zweck: Beitrag; Betrag (EUR): -29,90; Saldo (EUR): 928,18
      Tag: 25.04.2025; Empfänger: Kraftraum Fitness; Zweck: Rückgabe; Betrag (EUR): 29,90; Saldo (EUR): 958,08
      Tag: 28.04.2025; Empfänger: Optik Brandauer; Zweck: Gehalt; Betrag (EUR): 2.418,63; Saldo (EUR): 3.376,71
      Tag: 29.04.2025; Empfänger: Jonas Ungerer; Zweck: Alles Gute; Betrag (EUR): −50,00; Saldo (EUR): 3.326,71
      """
    let table = try #require(Table.tables(in: text).first)
    let tally = try #require(Tally(question, of: table, named: "Umsätze Mathilda Ungerer"), "\(question)")
    let cells = tally.column.map { column in table.rows.map { $0.cells[column] } } ?? []
    #expect(Tally.written(tally.value, like: cells) == value)
    #expect(tally.rows.count == rows)
  }

  @Test(
    "In a credit card's statement what was spent is above zero, and what was paid off or given back below",
    arguments: [
      ("How much did Ann Ashdown spend at Greenleaf Grocers in total in May 2025?", "119.59", 2),
      ("How much did I spend in May?", "335.31", 7), ("What was my biggest expense?", "106.41", 1),
      ("How much did I spend at Bookends?", "11.99", 2), ("How much did I receive from Greenleaf?", nil, 0),
      ("Wie viel habe ich bei Greenleaf insgesamt ausgegeben?", "119.59", 2),
      ("Combien ai-je dépensé chez Greenleaf ?", "119.59", 2),
    ])
  func card(question: String, value: String?, rows: Int) throws {
    let text = """
      Date | Description | Category | Amount GBP
      Date: 02/05/2025; Description: Greenleaf Grocers; Category: Groceries; Amount GBP: 64.17
      Date: 05/05/2025; Description: RECEIVED WITH THANKS; Category: Credit; Amount GBP: -612.48
      Date: 06/05/2025; Description: Moorland Rail; Category: Travel; Amount GBP: 47.30
      Date: 09/05/2025; Description: Hotel Linde; Category: Travel; Amount GBP: 106.41
      Date: 12/05/2025; Description: Foreign currency fee; Category: Fee; Amount GBP: 3.19
      Date: 17/05/2025; Description: Bookends; Category: Leisure; Amount GBP: 23.98
      Date: 20/05/2025; Description: Bookends; Category: Refund; Amount GBP: -11.99
      Date: 21/05/2025; Description: Greenleaf Grocers; Category: Groceries; Amount GBP: 55.42
      Date: 23/05/2025; Description: The Forge; Category: Eating out; Amount GBP: 34.84
      Date: 02/06/2025; Description: Corner Pharmacy; Category: Health; Amount GBP: 12.80
      """
    let table = try #require(Table.tables(in: text).first)
    let tally = Tally(question, of: table, named: "Card statement 2025-05 of Ann Ashdown")
    #expect(tally.map { "\($0.value)" } == value && tally?.rows.count ?? 0 == rows, "\(question)")
  }

  @Test(
    "Of two things that no row has together both are meant where one column names them, and what else is said holds for both",
    arguments: [
      ("How much did groceries plus transport cost?", "253", 5),
      ("What did groceries and transport come to in March in all?", "144.7", 3),
      ("How much was spent at Greenleaf and Fenwick Market?", "227", 4),
      ("How much was spent in January and March?", "251.85", 5),
      ("How much was spent on groceries in January and February?", "108.3", 2),
      ("How much was spent on groceries with card and cash?", "227", 4),
      ("How much was spent on transport and at Luigi's?", nil, 0),
      ("How much was spent on groceries and rent?", nil, 0),
      ("How much was spent on transport and groceries in January?", nil, 0),
      ("Wie viel wurde für Groceries und Transport ausgegeben?", "253", 5),
      ("Combien a été dépensé pour groceries et transport ?", "253", 5),
    ])
  func twoThings(question: String, value: String?, rows: Int) throws {
    let table = try #require(Table.tables(in: Self.text).first)
    let tally = Tally(question, of: table, named: "Spending")
    #expect(tally.map { "\($0.value)" } == value && tally?.rows.count ?? 0 == rows, "\(question)")
  }

  @Test("What has come from somebody was not spent there")
  func notSpent() throws {
    let text = """
      Day | Payee | Amount
      Day: 2025-04-01; Payee: Market; Amount: -12.00
      Day: 2025-04-02; Payee: Optician; Amount: 2418.63
      Day: 2025-05-02; Payee: Optician; Amount: 2418.63
      """
    let table = try #require(Table.tables(in: text).first)
    #expect(Tally("How much did I spend at the Optician?", of: table, named: "Account") == nil)
    let received = Tally("How much did I receive from the Optician?", of: table, named: "Account")
    #expect(received?.value == Decimal(string: "4837.26"))
  }
}
