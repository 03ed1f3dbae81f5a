import Foundation

/// A zone that was named beside a clock: a fixed distance from Greenwich, or a place whose clocks may change with the season.
enum Zone: Equatable {
  case fixed(Int)
  case place(TimeZone)

  /// The distances from Greenwich, in minutes, that people write after a time, the same in every language.
  static let offsets: [String: Int] = [
    "gmt": 0, "utc": 0, "z": 0, "bst": 60, "cet": 60, "cest": 120, "eet": 120, "eest": 180, "msk": 180, "ist": 330,
    "jst": 540, "aest": 600, "est": -300, "edt": -240, "cst": -360, "cdt": -300, "mst": -420, "mdt": -360, "pst": -480,
    "pdt": -420, "mez": 60, "mesz": 120,
  ]

  /// Seconds east of Greenwich when its clocks show `local`.
  func offset(at local: Int) -> Int {
    switch self {
    case .fixed(let seconds): seconds
    case .place(let zone): Walls(zone: zone).offset(at: local)
    }
  }

  /// The cities that zones are called by, as people write them.
  private static let cities: [String: String] = TimeZone.knownTimeZoneIdentifiers.reduce(into: [:]) { cities, name in
    let parts = name.split(separator: "/")
    guard parts.count > 1, let city = parts.last else { return }
    cities[city.replacing("_", with: " ").lowercased()] = name
  }

  fileprivate static func named(_ words: String, _ names: [String: String]) -> Zone? {
    (names[words] ?? cities[words]).flatMap(TimeZone.init(identifier:)).map(Zone.place)
  }
}

extension Grammar {
  /// The zone that follows a clock: "CET", "(EST)", "UTC+2", "Eastern", "Pacific time", "in New York time".
  func zone(at index: Int, isBare: Bool) -> Hit<Zone>? {
    if text(index) == "(", text(index + 2) == ")", let minutes = Zone.offsets[text(index + 1)] {
      return Hit(value: .fixed(minutes * 60), end: index + 3)
    }
    // "Um 15 Uhr ist Kino", "à 15h est prévu" name no zone.
    if let minutes = Zone.offsets[text(index)], !has(index, .isBeing), text(index) != "z" || glued(index),
      !isBare || text(index).count > 1
    {
      let sign = index + 1
      guard minutes == 0, ["+", "-"].contains(text(sign)), glued(sign), isNumber(sign + 1, digits: 1...2),
        glued(sign + 1)
      else { return Hit(value: .fixed(minutes * 60), end: sign) }
      return Hit(value: .fixed((text(sign) == "+" ? 1 : -1) * tokens[sign + 1].value * 3600), end: sign + 2)
    }
    if !isBare, let alone = language.bareZones.longest(tokens, at: index) {
      let end = skip(alone.end, .standard)
      return Hit(value: alone.payload, end: has(end, .time) ? end + 1 : alone.end)
    }
    let first = skip(index, .in)
    for count in [3, 2, 1] where tokens.indices.contains(first + count - 1) {
      let words = (first..<first + count).map(text).joined(separator: " ")
      let end = skip(first + count, .standard)
      // "At 4 Eastern Road": what is not named by itself needs the word.
      if has(end, .time), let zone = Zone.named(words, language.zones) { return Hit(value: zone, end: end + 1) }
    }
    return nil
  }
}
