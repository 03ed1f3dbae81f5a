/// Named parts of the day. The windows are conventions (docs/time.md); a clock time beside one of them settles am and pm.
enum DayParts {
  static let morning = DayPart(name: "morning", from: 0, until: 12)
  static let afternoon = DayPart(name: "afternoon", from: 12, until: 19)
  static let evening = DayPart(name: "evening", from: 18, until: 24)
  static let night = DayPart(name: "night", from: 18, until: 24)
  static let lateNight = DayPart(name: "latenight", from: 21, until: 24)
  static let endOfDay = DayPart(name: "endofday", from: 17, until: 24)

  static let phrases = Phrases<DayPart>([
    ("morning|mornings|am hours|morningish", morning),
    (
      "early morning|early in the morning|early hours of the morning|early hours|the early hours",
      early("morning", 0, 9)
    ),
    ("early am|first thing|first thing in the morning", early("morning", 0, 9)),
    ("as early as possible in the morning", early("morning", 0, 9)),
    ("early|as early as possible", DayPart(name: "early", from: 0, until: 9, meal: true)),
    ("late|as late as possible", DayPart(name: "late", from: 20, until: 24, meal: true)),
    ("mid morning|mid-morning|midmorning", DayPart(name: "midmorning", from: 9, until: 11)),
    ("late morning|late in the morning", DayPart(name: "latemorning", from: 10, until: 12)),
    ("afternoon|afternoons|arvo|afternoonish", afternoon),
    ("early afternoon|early in the afternoon", DayPart(name: "earlyafternoon", from: 12, until: 15)),
    ("mid afternoon|mid-afternoon", DayPart(name: "midafternoon", from: 14, until: 16)),
    ("late afternoon|late in the afternoon", DayPart(name: "lateafternoon", from: 15, until: 19)),
    ("evening|evenings|eveningish", evening),
    ("early evening|early in the evening", DayPart(name: "earlyevening", from: 18, until: 21)),
    ("late evening|late in the evening", DayPart(name: "lateevening", from: 20, until: 24)),
    ("night|nights|night time|nighttime|at night", night),
    ("late night|late at night|late in the night", lateNight),
    (
      "last thing|last thing at night|bedtime|at bedtime|before i go to bed|when i go to bed|before bed|before bedtime",
      lateNight
    ),
    (
      "when i get up|when i wake up|when i wake|after i get up|after i wake up",
      DayPart(name: "gettingup", from: 6, until: 9)
    ),
    ("before work", DayPart(name: "beforework", from: 6, until: 9)),
    ("before school", DayPart(name: "beforeschool", from: 7, until: 9)),
    ("after school", DayPart(name: "afterschool", from: 15, until: 21)),
    ("at breakfast|over breakfast", DayPart(name: "breakfast", from: 6, until: 9)),
    ("before breakfast", DayPart(name: "beforebreakfast", from: 6, until: 8)),
    ("after breakfast", DayPart(name: "afterbreakfast", from: 9, until: 11)),
    ("at dinner|over dinner", DayPart(name: "dinner", from: 18, until: 21)),
    ("before dinner|before supper", DayPart(name: "beforedinner", from: 16, until: 18)),
    ("after dinner|after supper", DayPart(name: "afterdinner", from: 20, until: 23)),
    ("after work|after-work", DayPart(name: "afterwork", from: 17, until: 21)),
    ("lunch|lunchtime|lunch time|lunch-time|at lunch", DayPart(name: "lunch", from: 12, until: 14, meal: true)),
    ("after lunch", DayPart(name: "afterlunch", from: 13, until: 17)),
    ("before lunch", DayPart(name: "beforelunch", from: 9, until: 12)),
    ("breakfast time|breakfast-time|breakfasttime", DayPart(name: "breakfast", from: 6, until: 9)),
    ("dinner time|dinnertime|dinner-time|suppertime", DayPart(name: "dinner", from: 18, until: 21)),
    ("teatime|tea time", DayPart(name: "teatime", from: 16, until: 18)),
  ])

  /// Words that name the day too, as days from today.
  static let dated = Phrases<(DayPart, Int)>([
    ("tonight|tonite|2nite|this night|tonights", (night, 0)),
    ("late tonight|late tonite|late this evening", (lateNight, 0)),
    ("last night|yesternight", (night, -1)), ("late last night", (lateNight, -1)),
    ("the night before last|night before last", (night, -2)),
    ("overmorrow morning", (morning, 2)),
  ])

  private static func early(_ name: String, _ from: Int, _ until: Int) -> DayPart {
    DayPart(name: "early" + name, from: from, until: until)
  }
}
