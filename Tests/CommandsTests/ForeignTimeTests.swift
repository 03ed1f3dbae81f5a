import Foundation
import Testing

@testable import Commands

/// German and French expressions, each of a class of its own.
@Suite struct ForeignTimeTests {
  private func readings(_ text: String) throws -> [TimeReading] {
    try TimeResolver.wednesday().readings(in: text).readings
  }

  @Test(
    "Clock times, days, weeks and months, times from now, lengths and ranges",
    arguments: [
      ("um 14 Uhr", "2026-06-10T14:00:00"), ("um 14 Uhr 30", "2026-06-10T14:30:00"),
      ("14:45 Uhr", "2026-06-10T14:45:00"), ("um 15.30 Uhr", "2026-06-10T15:30:00"),
      ("halb vier", "2026-06-10T15:30:00"), ("morgen um halb zehn", "2026-06-11T09:30:00"),
      ("heute um halb 8 abends", "2026-06-10T19:30:00"), ("Viertel nach vier", "2026-06-10T16:15:00"),
      ("viertel vor 12", "2026-06-10T11:45:00"), ("zehn nach drei", "2026-06-10T15:10:00"),
      ("zwanzig vor fünf", "2026-06-10T16:40:00"), ("fünf vor halb vier", "2026-06-10T15:25:00"),
      ("fünf nach halb drei", "2026-06-10T14:35:00"), ("um acht", "2026-06-10T20:00:00"),
      ("morgen um acht", "2026-06-11T08:00:00"), ("acht Uhr morgens", "2026-06-11T08:00:00"),
      ("um zehn Uhr abends", "2026-06-10T22:00:00"), ("um einundzwanzig Uhr fünfzehn", "2026-06-10T21:15:00"),
      ("morgen Mittag um eins", "2026-06-11T13:00:00"), ("um Mitternacht", "2026-06-11T00:00:00"),
      ("morgen um 7 h", "2026-06-11T07:00:00"),
      ("gegen 18 Uhr", "2026-06-10T18:00:00"), ("übermorgen um 7:05", "2026-06-12T07:05:00"),
      ("Zahnarzt am 17.8. um 9:40", "2026-08-17T09:40:00"),
      ("heute", "2026-06-10T00:00:00"), ("morgen", "2026-06-11T00:00:00"), ("Übermorgen", "2026-06-12T00:00:00"),
      ("gestern", "2026-06-09T00:00:00"), ("vorgestern", "2026-06-08T00:00:00"),
      ("am Freitag", "2026-06-12T00:00:00"), ("nächsten Dienstag", "2026-06-16T00:00:00"),
      ("kommenden Samstag", "2026-06-13T00:00:00"), ("übernächsten Montag", "2026-06-22T00:00:00"),
      ("letzten Montag", "2026-06-08T00:00:00"), ("nächste Woche", "2026-06-15T00:00:00"),
      ("übernächste Woche", "2026-06-22T00:00:00"), ("nächsten Monat", "2026-07-01T00:00:00"),
      ("letztes Jahr", "2025-01-01T00:00:00"), ("dieses Wochenende", "2026-06-12T18:00:00/2026-06-15T00:00:00"),
      ("am 3. Mai", "2027-05-03T00:00:00"), ("am 24. Dezember um 18 Uhr", "2026-12-24T18:00:00"),
      ("3.7.", "2026-07-03T00:00:00"), ("am 03.05.2027", "2027-05-03T00:00:00"),
      ("Freitag, den 12. Juni", "2026-06-12T00:00:00"), ("der dritte Oktober", "2026-10-03T00:00:00"),
      ("am einundzwanzigsten August", "2026-08-21T00:00:00"), ("im März", "2027-03-01T00:00:00"),
      ("Ende Juli", "2026-07-21T00:00:00/2026-08-01T00:00:00"),
      ("Anfang September", "2026-09-01T00:00:00/2026-09-11T00:00:00"),
      ("der letzte Freitag im Monat", "2026-06-26T00:00:00"), ("der erste Montag im Juli", "2026-07-06T00:00:00"),
      ("zu Weihnachten", "2026-12-25T00:00:00"), ("Ostermontag", "2027-03-29T00:00:00"),
      ("am Tag der Deutschen Einheit", "2026-10-03T00:00:00"),
      ("heute Abend", "2026-06-10T18:00:00/2026-06-11T00:00:00"),
      ("morgen früh", "2026-06-11T00:00:00/2026-06-11T12:00:00"),
      ("Montagabend um acht", "2026-06-15T20:00:00"),
      ("am Freitagnachmittag", "2026-06-12T12:00:00/2026-06-12T19:00:00"),
      ("in drei Wochen", "2026-07-01T00:00:00"), ("in zwei Stunden", "2026-06-10T11:30:00"),
      ("in einer halben Stunde", "2026-06-10T10:00:00"), ("in anderthalb Stunden", "2026-06-10T11:00:00"),
      ("in einer Viertelstunde", "2026-06-10T09:45:00"), ("in 20 Minuten", "2026-06-10T09:50:00"),
      ("vor drei Tagen", "2026-06-07T09:00:00"), ("eine Woche nach Ostern", "2027-04-04T00:00:00"),
      ("heute in einer Woche", "2026-06-17T00:00:00"), ("zwei Stunden lang", "PT2H"), ("45 Minuten", "PT45M"),
      ("vom 3. bis 7. Mai", "2027-05-03T00:00:00/2027-05-08T00:00:00"),
      ("vom 3. Juli bis zum 12. August", "2026-07-03T00:00:00/2026-08-13T00:00:00"),
      ("von Montag bis Mittwoch", "2026-06-15T00:00:00/2026-06-18T00:00:00"),
      ("von 9 bis 11 Uhr", "2026-06-11T09:00:00/2026-06-11T12:00:00"),
      ("morgen zwischen 14 und 16 Uhr", "2026-06-11T14:00:00/2026-06-11T17:00:00"),
      ("Freitag von 10:30 bis 11:15", "2026-06-12T10:30:00/2026-06-12T11:16:00"),
      ("bis Freitag", "2026-06-10T09:30:00/2026-06-12T00:00:00"), ("ab Montag", "2026-06-15T00:00:00"),
      ("nach 18 Uhr", "2026-06-10T18:00:00"), ("die nächsten drei Tage", "2026-06-11T00:00:00/2026-06-14T00:00:00"),
      ("à 14h", "2026-06-10T14:00:00"), ("demain à 15h30", "2026-06-11T15:30:00"),
      ("à 15 heures 30", "2026-06-10T15:30:00"), ("à quinze heures trente", "2026-06-10T15:30:00"),
      ("à trois heures et demie", "2026-06-10T15:30:00"), ("à quatre heures et quart", "2026-06-10T16:15:00"),
      ("à cinq heures moins le quart", "2026-06-10T16:45:00"), ("à six heures moins dix", "2026-06-10T17:50:00"),
      ("à huit heures du soir", "2026-06-10T20:00:00"), ("demain à sept heures du matin", "2026-06-11T07:00:00"),
      ("à midi", "2026-06-10T12:00:00"), ("midi et demi", "2026-06-10T12:30:00"), ("à minuit", "2026-06-11T00:00:00"),
      ("demain à 7 h", "2026-06-11T07:00:00"), ("vers 9 h du matin", "2026-06-11T09:00:00"),
      ("vers 18h", "2026-06-10T18:00:00"), ("à 8 h 45 demain", "2026-06-11T08:45:00"),
      ("vendredi à vingt et une heures", "2026-06-12T21:00:00"), ("à 17:20", "2026-06-10T17:20:00"),
      ("aujourd'hui", "2026-06-10T00:00:00"), ("demain", "2026-06-11T00:00:00"),
      ("après-demain", "2026-06-12T00:00:00"), ("hier", "2026-06-09T00:00:00"), ("avant-hier", "2026-06-08T00:00:00"),
      ("vendredi", "2026-06-12T00:00:00"), ("mardi prochain", "2026-06-16T00:00:00"),
      ("lundi dernier", "2026-06-08T00:00:00"), ("la semaine prochaine", "2026-06-15T00:00:00"),
      ("le mois dernier", "2026-05-01T00:00:00"), ("l'année prochaine", "2027-01-01T00:00:00"),
      ("ce week-end", "2026-06-12T18:00:00/2026-06-15T00:00:00"),
      ("le week-end prochain", "2026-06-19T18:00:00/2026-06-22T00:00:00"),
      ("le 3 mai", "2027-05-03T00:00:00"), ("le 1er juillet", "2026-07-01T00:00:00"),
      ("lundi 15 juin à 14h", "2026-06-15T14:00:00"), ("le 14 juillet 2027", "2027-07-14T00:00:00"),
      ("le 3/5/2027", "2027-05-03T00:00:00"), ("le premier août", "2026-08-01T00:00:00"),
      ("en mars", "2027-03-01T00:00:00"), ("fin juillet", "2026-07-21T00:00:00/2026-08-01T00:00:00"),
      ("début septembre", "2026-09-01T00:00:00/2026-09-11T00:00:00"),
      ("le dernier lundi du mois", "2026-06-29T00:00:00"), ("le dernier vendredi de juillet", "2026-07-31T00:00:00"),
      ("à Noël", "2026-12-25T00:00:00"), ("le lundi de Pâques", "2027-03-29T00:00:00"),
      ("ce soir", "2026-06-10T18:00:00/2026-06-11T00:00:00"),
      ("demain matin", "2026-06-11T00:00:00/2026-06-11T12:00:00"),
      ("vendredi après-midi", "2026-06-12T12:00:00/2026-06-12T19:00:00"), ("demain soir à 8h", "2026-06-11T20:00:00"),
      ("samedi matin à 9h", "2026-06-13T09:00:00"), ("cet après-midi à trois heures", "2026-06-10T15:00:00"),
      ("hier soir", "2026-06-09T18:00:00/2026-06-10T00:00:00"), ("le 21 février", "2027-02-21T00:00:00"),
      ("dans deux heures", "2026-06-10T11:30:00"), ("dans trois semaines", "2026-07-01T00:00:00"),
      ("dans une demi-heure", "2026-06-10T10:00:00"), ("dans une heure et demie", "2026-06-10T11:00:00"),
      ("dans un quart d'heure", "2026-06-10T09:45:00"), ("dans 20 minutes", "2026-06-10T09:50:00"),
      ("il y a trois jours", "2026-06-07T09:00:00"), ("pendant deux heures", "PT2H"),
      ("pendant 2 h", "PT2H"), ("une réunion de 2 heures", "PT2H"), ("à partir de 10 h", "2026-06-10T10:00:00"),
      ("dans 2 h", "2026-06-10T11:30:00"),
      ("demain de 9 h à 11 h", "2026-06-11T09:00:00/2026-06-11T12:00:00"), ("45 minutes", "PT45M"),
      ("deux jours après Pâques", "2027-03-30T00:00:00"),
      ("du 3 au 7 mai", "2027-05-03T00:00:00/2027-05-08T00:00:00"),
      ("du 3 juillet au 12 août", "2026-07-03T00:00:00/2026-08-13T00:00:00"),
      ("du lundi au mercredi", "2026-06-15T00:00:00/2026-06-18T00:00:00"),
      ("de 9h à 11h", "2026-06-11T09:00:00/2026-06-11T12:00:00"),
      ("demain de 14h30 à 16h", "2026-06-11T14:30:00/2026-06-11T16:01:00"),
      ("entre 14h et 16h", "2026-06-10T14:00:00/2026-06-10T17:00:00"),
      ("d'ici vendredi", "2026-06-10T09:30:00/2026-06-12T00:00:00"), ("avant midi", "2026-06-10T12:00:00"),
      ("à partir de lundi", "2026-06-15T00:00:00"), ("après 18h", "2026-06-10T18:00:00"),
    ] as [(String, String)])
  func values(text: String, value: String) throws {
    #expect(try readings(text).first?.value == value, "\(text)")
  }

  @Test(
    "Repetitions",
    arguments: [
      ("jeden Montag um 9 Uhr", "FREQ=WEEKLY;BYDAY=MO", "2026-06-15T09:00:00"),
      ("jeden zweiten Montag", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", "2026-06-15T00:00:00"),
      ("am Montag und Mittwoch um neun", "FREQ=WEEKLY;BYDAY=MO,WE;COUNT=2", "2026-06-15T09:00:00"),
      ("nächsten Montag und am Mittwoch um 9 Uhr", "FREQ=WEEKLY;BYDAY=MO,WE;COUNT=2", "2026-06-15T09:00:00"),
      ("jeden Montag und Mittwoch um neun", "FREQ=WEEKLY;BYDAY=MO,WE", "2026-06-15T09:00:00"),
      ("morgen von 14 bis 15:30 Uhr jede Woche", "FREQ=WEEKLY", "2026-06-11T14:00:00"),
      ("jede Woche ab morgen um 9", "FREQ=WEEKLY", "2026-06-11T09:00:00"),
      ("montags und donnerstags um acht", "FREQ=WEEKLY;BYDAY=MO,TH", "2026-06-11T08:00:00"),
      ("täglich um 7 Uhr", "FREQ=DAILY", "2026-06-11T07:00:00"),
      ("alle zwei Wochen", "FREQ=WEEKLY;INTERVAL=2", "2026-06-24T00:00:00"),
      ("werktags um 8 Uhr 30", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "2026-06-11T08:30:00"),
      ("jeden ersten Montag im Monat", "FREQ=MONTHLY;BYDAY=1MO", "2026-07-06T00:00:00"),
      ("jeden Tag außer Sonntag um 10", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA", "2026-06-10T10:00:00"),
      ("jedes Jahr am 3. Mai", "FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=3", "2027-05-03T00:00:00"),
      ("tous les lundis", "FREQ=WEEKLY;BYDAY=MO", "2026-06-15T00:00:00"),
      ("tous les lundis à 9h", "FREQ=WEEKLY;BYDAY=MO", "2026-06-15T09:00:00"),
      ("chaque mardi et jeudi", "FREQ=WEEKLY;BYDAY=TU,TH", "2026-06-11T00:00:00"),
      ("lundi et mercredi à 9 h", "FREQ=WEEKLY;BYDAY=MO,WE;COUNT=2", "2026-06-15T09:00:00"),
      ("tous les lundis et mercredis à 9 h", "FREQ=WEEKLY;BYDAY=MO,WE", "2026-06-15T09:00:00"),
      ("demain de 14 h à 15 h 30 toutes les semaines", "FREQ=WEEKLY", "2026-06-11T14:00:00"),
      ("un lundi sur deux", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", "2026-06-15T00:00:00"),
      ("toutes les deux semaines", "FREQ=WEEKLY;INTERVAL=2", "2026-06-24T00:00:00"),
      ("tous les jours à 7h", "FREQ=DAILY", "2026-06-11T07:00:00"),
      ("le premier lundi de chaque mois", "FREQ=MONTHLY;BYDAY=1MO", "2026-07-06T00:00:00"),
      ("le 15 de chaque mois", "FREQ=MONTHLY;BYMONTHDAY=15", "2026-06-15T00:00:00"),
      ("une fois par semaine", "FREQ=WEEKLY", "2026-06-17T00:00:00"),
      ("tous les jours ouvrables à 7h30", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "2026-06-11T07:30:00"),
      ("tous les soirs à 22h", "FREQ=DAILY", "2026-06-10T22:00:00"),
      ("tous les jours sauf le dimanche", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA", "2026-06-11T00:00:00"),
    ])
  func repetitions(text: String, rule: String, next: String) throws {
    let best = try readings(text).first
    #expect(best?.rrule == rule, "\(text)")
    #expect(best?.value == next, "\(text)")
  }

  @Test(
    "What is no time stays unread",
    arguments: [
      "ein guter Mann", "der dritte Mann", "ich habe acht Katzen", "vor dem Haus", "nach Hause",
      "un bon livre", "la maison de Paul", "j'ai huit chats", "de rien", "sur la table", "deux pains",
    ])
  func nothing(text: String) throws { #expect(try readings(text).isEmpty, "\(text)") }
}
