/// Days with a fixed rule: a date, the nth weekday of a month, or a distance from Easter. Feasts that follow the moon or a
/// proclamation are not here; they stay unexplained rather than guessed.
enum Holidays {
  static let phrases = Phrases<Yearly>(fixed + weekdays + easter + orthodox + special, stemmed: true)

  private static let fixed: [(String, Yearly)] = [
    ("new years day|new year|new years|new year day", on(1, 1)), ("epiphany|three kings day|twelfth day", on(1, 6)),
    ("twelfth night", on(1, 5)), ("burns night", on(1, 25)), ("australia day", on(1, 26)),
    ("groundhog day|candlemas", on(2, 2)),
    ("lincolns birthday|abraham lincolns birthday|lincoln day|abraham lincoln day", on(2, 12)),
    ("valentines day|valentine day|valentines|saint valentines day|st valentines day|st. valentines day", on(2, 14)),
    ("saint davids day|st davids day|st. davids day", on(3, 1)), ("pi day", on(3, 14)),
    ("international womens day|womens day", on(3, 8)),
    (
      "saint patricks day|st patricks day|st. patricks day|st paddys day|saint paddys day|saint pattys day|st pattys day",
      on(3, 17)
    ),
    ("april fools day|april fools|all fools day", on(4, 1)), ("earth day", on(4, 22)),
    ("saint georges day|st georges day|st. georges day|feast of saint george|feast of st george", on(4, 23)),
    ("anzac day", on(4, 25)), ("law day|lei day|loyalty day|may day|workers day|international workers day", on(5, 1)),
    ("star wars day", on(5, 4)), ("cinco de mayo", on(5, 5)), ("ve day|v e day", on(5, 8)),
    ("flag day", on(6, 14)), ("juneteenth", on(6, 19)), ("midsummers day|midsummer day|saint johns day", on(6, 24)),
    ("canada day|dominion day", on(7, 1)),
    ("independence day|fourth of july|july fourth|us independence day", on(7, 4)),
    ("bastille day", on(7, 14)), ("assumption day|assumption of mary", on(8, 15)),
    ("patriot day", on(9, 11)), ("world kindness day", on(11, 13)), ("world smile day", smile),
    ("world vegan day|all saints day|all saints|all hallows day", on(11, 1)), ("all souls day|all souls", on(11, 2)),
    ("halloween|hallowe'en|all hallows eve|halloween day", on(10, 31)), ("united nations day", on(10, 24)),
    ("guy fawkes night|guy fawkes day|guy fawkes|bonfire night|fireworks night", on(11, 5)),
    ("veterans day|veteran day|armistice day|remembrance day", on(11, 11)),
    ("mens day|international mens day", on(11, 19)),
    ("saint andrews day|st andrews day|st. andrews day", on(11, 30)),
    ("saint nicholas day|st nicholas day|st. nicholas day", on(12, 6)),
    ("pearl harbor day|pearl harbor remembrance day", on(12, 7)), ("feast of the immaculate conception", on(12, 8)),
    ("bill of rights day", on(12, 15)), ("human rights day", on(12, 10)), ("yule|yuletide", on(12, 21)),
    ("christmas eve|xmas eve|x-mas eve", on(12, 24)),
    ("christmas|xmas|x-mas|x mas|christmas day|xmas day|christmas time", on(12, 25)),
    ("boxing day|saint stephens day|st stephens day|st. stephens day", on(12, 26)),
    ("kwanzaa", Yearly { Civil.day($0, 12, 26)..<Civil.day($0 + 1, 1, 2) }),
    ("new years eve|new year eve|nye|old years night|hogmanay|silvester", on(12, 31)),
    ("national day of prayer", nth(1, 3, 5)), ("gandhi jayanti|gandhi birthday", on(10, 2)),
    ("republic day of india|indian republic day", on(1, 26)), ("indian independence day", on(8, 15)),
    ("childrens day", on(11, 20)), ("international day of peace", on(9, 21)),
  ]

  private static let weekdays: [(String, Yearly)] = [
    (
      "martin luther kings day|martin luther king day|martin luther king jr day|martin luther king jr. day|mlk day|mlk jr. day|mlk jr day|civil rights day|idaho human rights day",
      nth(3, 0, 1)
    ),
    (
      "presidents day|president day|washingtons birthday|washington birthday|george washington day|george washingtons birthday|washingtons day|daisy gatson bates day",
      nth(3, 0, 2)
    ),
    (
      "daylight saving start|daylight savings start|daylight saving start day|daylight savings start day|start of daylight saving time|start of daylight savings",
      nth(2, 6, 3)
    ),
    (
      "daylight saving end|daylight savings end|daylight saving end day|daylight savings end day|end of daylight saving time|end of daylight savings",
      nth(1, 6, 11)
    ),
    ("mothers day|mother day|mommy day", nth(2, 6, 5)), ("fathers day|father day|daddy day", nth(3, 6, 6)),
    ("memorial day|decoration day", nth(-1, 0, 5)), ("spring bank holiday", nth(-1, 0, 5)),
    ("early may bank holiday|may bank holiday", nth(1, 0, 5)),
    ("summer bank holiday|august bank holiday", nth(-1, 0, 8)), ("armed forces day", nth(3, 5, 5)),
    ("labor day|labour day", nth(1, 0, 9)),
    ("national grandparents day|grandparents day|grandparent day", around(nth(1, 0, 9), 6, 7)),
    ("columbus day|indigenous peoples day|canadian thanksgiving", nth(2, 0, 10)),
    ("thanksgiving|thanksgiving day|turkey day", nth(4, 3, 11)),
    ("black friday", around(nth(4, 3, 11), 1, 2)), ("cyber monday", around(nth(4, 3, 11), 4, 5)),
    ("small business saturday", around(nth(4, 3, 11), 2, 3)), ("giving tuesday", around(nth(4, 3, 11), 5, 6)),
    ("election day", around(nth(1, 0, 11), 1, 2)), ("remembrance sunday", nth(2, 6, 11)),
    ("military spouse day|military spouse appreciation day", around(nth(2, 6, 5), -2, -1)),
    (
      "administrative professionals day|administrative professional day|secretaries day|admin day|secretarys day",
      Yearly { year in
        // Wednesday of April's last full week, counted from Sunday.
        Civil.nth(-1, 5, year, 4).map { ($0 - 3)..<($0 - 2) }
      }
    ),
    ("emergency medical services for children day|emsc day", around(nth(3, 6, 5), 3, 4)),
    (
      "victoria day",
      Yearly { year in
        let day = Civil.day(year, 5, 24)
        let found = day - Civil.weekday(day)
        return found..<(found + 1)
      }
    ),
    ("world smile day", nth(1, 4, 10)), ("siblings day|national siblings day", on(4, 10)),
  ]

  private static let easter: [(String, Yearly)] = [
    ("shrove monday|rosenmontag|clean lent monday", after(-48)),
    ("shrove tuesday|pancake day|pancake tuesday|mardi gras|fat tuesday", after(-47)),
    ("ash wednesday|carnival day", after(-46)), ("mothering sunday", after(-21)),
    ("palm sunday|branch sunday", after(-7)),
    ("maundy thursday|holy thursday|covenant thursday|thursday of the mysteries|thursday of mysteries", after(-3)),
    ("good friday|great friday|holy friday", after(-2)),
    ("holy saturday|black saturday|easter eve|easter saturday", after(-1)),
    ("easter|easter sunday|easter day", after(0)), ("easter monday", after(1)),
    ("ascension day|ascension thursday|ascension", after(39)),
    ("pentecost|white sunday|whit sunday|whitsunday|whitsun", after(49)),
    ("whit monday|whitmonday|white monday|pentecost monday|monday of the holy spirit", after(50)),
    ("trinity sunday", after(56)),
    ("corpus christi|feast of corpus christi", after(60)),
    ("lent", Yearly { (Civil.easter($0) - 46)..<Civil.easter($0) }),
    ("holy week", Yearly { (Civil.easter($0) - 7)..<Civil.easter($0) }),
  ]

  private static let orthodox: [(String, Yearly)] = [
    ("orthodox easter|orthodox easter sunday|orthodox easter day|pascha", eastern(0)),
    ("orthodox easter monday|orthodox easter mon", eastern(1)),
    ("orthodox good friday|orthodox great friday", eastern(-2)),
    ("orthodox palm sunday|orthodox branch sunday", eastern(-7)),
    ("orthodox ash monday|orthodox shrove monday|clean monday|orthodox clean monday|green monday", eastern(-48)),
    ("orthodox ascension|orthodox ascension day", eastern(39)), ("orthodox pentecost", eastern(49)),
    ("lazarus saturday", eastern(-8)),
    ("great fast", Yearly { (Civil.orthodoxEaster($0) - 48)..<(Civil.orthodoxEaster($0) - 8) }),
    ("orthodox christmas|orthodox christmas day", on(1, 7)),
  ]

  private static let special: [(String, Yearly)] = [
    // On a weekend these move to the working day beside it.
    ("boss day|bosss day|bosses day|boss's day", workday(10, 16)), ("emancipation day", workday(4, 16)),
    (
      "tax day|tax filing day",
      Yearly { year in
        var day = Civil.day(year, 4, 15)
        let emancipation = workday(4, 16).days(year)
        while Civil.weekday(day) > 4 || emancipation?.contains(day) == true { day += 1 }
        return day..<(day + 1)
      }
    ),
    (
      "kings day|king day|koningsdag",
      Yearly { year in
        let day = Civil.day(year, 4, 27)
        let found = Civil.weekday(day) == 6 ? day - 1 : day
        return found..<(found + 1)
      }
    ),
    (
      "super tuesday",
      given([
        Civil.day(2004, 3, 2), Civil.day(2008, 2, 5), Civil.day(2012, 3, 6), Civil.day(2016, 3, 1),
        Civil.day(2020, 3, 3), Civil.day(2024, 3, 5), Civil.day(2028, 3, 7),
      ])
    ),
    ("mega giga tuesday|mega tuesday|giga tuesday|tsunami tuesday", given([Civil.day(2008, 2, 5)])),
    ("mini tuesday|mini-tuesday", given([Civil.day(2004, 2, 3)])),
  ]

  private static let smile = nth(1, 4, 10)

  private static func on(_ month: Int, _ day: Int) -> Yearly {
    Yearly { Civil.day($0, month, day)..<(Civil.day($0, month, day) + 1) }
  }

  private static func nth(_ ordinal: Int, _ weekday: Int, _ month: Int) -> Yearly {
    Yearly { Civil.nth(ordinal, weekday, $0, month).map { $0..<($0 + 1) } }
  }

  private static func around(_ yearly: Yearly, _ from: Int, _ until: Int) -> Yearly {
    Yearly { yearly.days($0).map { ($0.lowerBound + from)..<($0.lowerBound + until) } }
  }

  private static func after(_ days: Int) -> Yearly {
    Yearly { (Civil.easter($0) + days)..<(Civil.easter($0) + days + 1) }
  }

  private static func eastern(_ days: Int) -> Yearly {
    Yearly { (Civil.orthodoxEaster($0) + days)..<(Civil.orthodoxEaster($0) + days + 1) }
  }

  private static func workday(_ month: Int, _ day: Int) -> Yearly {
    Yearly { year in
      let day = Civil.day(year, month, day)
      let found = Civil.weekday(day) == 5 ? day - 1 : Civil.weekday(day) == 6 ? day + 1 : day
      return found..<(found + 1)
    }
  }

  private static func given(_ days: [Int]) -> Yearly {
    Yearly { year in days.first { Civil.date($0).year == year }.map { $0..<($0 + 1) } }
  }
}
