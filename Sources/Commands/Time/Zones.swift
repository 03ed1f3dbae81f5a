import Foundation

/// A zone that was named beside a clock: a fixed distance from Greenwich, or a place whose clocks may change with the season.
enum Zone: Equatable {
  case fixed(Int)
  case place(TimeZone)

  /// Seconds east of Greenwich when its clocks show `local`.
  func offset(at local: Int) -> Int {
    switch self {
    case .fixed(let seconds): seconds
    case .place(let zone): Walls(zone: zone).offset(at: local)
    }
  }

  /// What may stand without "time" behind it.
  private static let alone: Set<String> = ["eastern", "pacific", "et", "pt"]

  private static let names = [
    "eastern": "America/New_York", "et": "America/New_York", "central": "America/Chicago", "mountain": "America/Denver",
    "pacific": "America/Los_Angeles", "pt": "America/Los_Angeles", "uk": "Europe/London", "british": "Europe/London",
    "irish": "Europe/Dublin", "german": "Europe/Berlin", "french": "Europe/Paris", "swiss": "Europe/Zurich",
    "spanish": "Europe/Madrid", "italian": "Europe/Rome", "dutch": "Europe/Amsterdam", "japanese": "Asia/Tokyo",
    "japan": "Asia/Tokyo", "chinese": "Asia/Shanghai", "china": "Asia/Shanghai", "indian": "Asia/Kolkata",
    "india": "Asia/Kolkata", "central european": "Europe/Paris", "eastern european": "Europe/Athens",
    "west coast": "America/Los_Angeles", "east coast": "America/New_York",
    "san francisco": "America/Los_Angeles", "seattle": "America/Los_Angeles", "boston": "America/New_York",
    "washington": "America/New_York", "miami": "America/New_York", "munich": "Europe/Berlin",
    "hamburg": "Europe/Berlin", "frankfurt": "Europe/Berlin", "geneva": "Europe/Zurich", "milan": "Europe/Rome",
    "barcelona": "Europe/Madrid", "edinburgh": "Europe/London", "beijing": "Asia/Shanghai", "mumbai": "Asia/Kolkata",
    "delhi": "Asia/Kolkata", "bangalore": "Asia/Kolkata",
  ]

  /// The cities that zones are called by, as people write them.
  private static let cities: [String: String] = TimeZone.knownTimeZoneIdentifiers.reduce(into: [:]) { cities, name in
    let parts = name.split(separator: "/")
    guard parts.count > 1, let city = parts.last else { return }
    cities[city.replacing("_", with: " ").lowercased()] = name
  }

  fileprivate static func named(_ words: String, beforeTime: Bool) -> Zone? {
    guard beforeTime || alone.contains(words) else { return nil }
    return (names[words] ?? cities[words]).flatMap(TimeZone.init(identifier:)).map(Zone.place)
  }
}

extension Grammar {
  /// The zone that follows a clock: "CET", "(EST)", "UTC+2", "Eastern", "Pacific time", "in New York time".
  func zone(at index: Int, isBare: Bool) -> Hit<Zone>? {
    if text(index) == "(", text(index + 2) == ")", let seconds = Lexicon.zones[text(index + 1)] {
      return Hit(value: .fixed(seconds), end: index + 3)
    }
    if let seconds = Lexicon.zones[text(index)], text(index) != "z" || glued(index), !isBare || text(index).count > 1 {
      let sign = index + 1
      guard seconds == 0, ["+", "-"].contains(text(sign)), glued(sign), isNumber(sign + 1, digits: 1...2),
        glued(sign + 1)
      else { return Hit(value: .fixed(seconds), end: sign) }
      return Hit(value: .fixed((text(sign) == "+" ? 1 : -1) * tokens[sign + 1].value * 3600), end: sign + 2)
    }
    let first = text(index) == "in" ? index + 1 : index
    for count in [3, 2, 1] where tokens.indices.contains(first + count - 1) {
      let words = (first..<first + count).map(text).joined(separator: " ")
      var end = first + count
      if ["standard", "daylight"].contains(text(end)) { end += 1 }
      let beforeTime = text(end) == "time"
      // "At 4 Eastern Road": a bare number needs the word.
      guard beforeTime || !isBare && first == index,
        let zone = Zone.named(words, beforeTime: beforeTime)
      else { continue }
      return Hit(value: zone, end: beforeTime ? end + 1 : first + count)
    }
    return nil
  }
}
