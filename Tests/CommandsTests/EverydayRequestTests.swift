import Testing

@testable import Commands

/// What people say in German, French and English without a word that asks.
@Suite struct EverydayRequestTests {
  private let wednesday: Wednesday

  init() throws { wednesday = try Wednesday() }

  @Test(
    "What has a day and an hour of its own is entered, also where other words keep them apart, and what one has to do is a reminder",
    arguments: [
      ("Trag mal ein: Zahnarzt am Donnerstag um halb acht", "event 06-11T07:30:00 Zahnarzt"),
      ("ich darf nicht vergessen am Freitag um 9 den Brief einzuwerfen", "reminder 06-12T09h Brief einwerfen"),
      (
        "am zwölften zwölften um achtzehn Uhr dreißig Weihnachtsfeier eintragen", "event 12-12T18:30:00 Weihnachtsfeier"
      ),
      ("Am siebten Jänner um elf beim Notar Hofstätter, bitte vormerken", "event 2027-01-07T11h Notar Hofstätter"),
      (
        "heut in vierzehn Tagen kommt die Tante Hedwig zum Kaffee, gegen drei",
        "event 06-24T15h Tante Hedwig zum Kaffee"
      ),
      ("Um fünf vor halb drei muss ich heute los zum Bahnhof", "reminder 06-10T14:25:00 los zum Bahnhof"),
      ("Merk dir mal, die Kundennummer ist 77 91", "note die Kundennummer ist 77 91"),
      ("Früher bin ich jeden Samstag um sechs auf den Markt gegangen", "-"),
      ("muss ich bis Freitag kündigen", "-"), ("Ich muss wissen, wann am Freitag die Frist endet", "-"),
      ("Je dois rendre le dossier vendredi", "reminder 06-12T00h rendre le dossier"),
      ("faut que je pense à appeler le plombier vendredi à 9h", "reminder 06-12T09h appeler le plombier"),
      (
        "Tous les premiers lundis du mois, conseil syndical à 19 h",
        "event 07-06T19h FREQ=MONTHLY;BYDAY=1MO conseil syndical"
      ),
      ("Lundi, non pardon, mardi à midi et demi, déjeuner avec Anne", "event 06-16T12:30:00 déjeuner avec Anne"),
      ("Dans quinze jours y a le repas des anciens, à midi", "event 06-24T12h repas des anciens"),
      ("Ce soir à huit heures moins dix, dis-moi de sortir le gratin", "reminder 06-10T19:50:00 sortir le gratin"),
      ("Note rendez-vous chez le kiné vendredi à dix-sept heures", "event 06-12T17h rendez-vous chez le kiné"),
      ("Il paraît que la boulangerie ferme lundi à midi", "-"),
    ])
  func plain(text: String, expected: String) { #expect(wednesday.line(text) == expected) }

  @Test(
    "English is understood to its end: how long a rule goes on, what a correction leaves, thanks in a mail, joined words",
    arguments: [
      (
        "Swimming lessons, Saturdays half nine till ten, for the next six weeks",
        "event 06-13T09:30:00 FREQ=WEEKLY;BYDAY=SA;UNTIL=20260721T235959 Swimming lessons"
      ),
      ("Schedule a call with Ann for Thursday at 3 pm, no wait, Friday, same time", "event 06-12T15h call with Ann"),
      ("email Dave body the invoice is attached, thanks", "mail Dave «the invoice is attached, thanks»"),
      ("weigh-in every Sunday at 7 am", "event 06-14T07h FREQ=WEEKLY;BYDAY=SU weigh-in"),
    ])
  func english(text: String, expected: String) { #expect(wednesday.line(text, isForeign: false) == expected) }
}
