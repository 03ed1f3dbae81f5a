import Core

/// The numbers that Word shows before paragraphs: they stand nowhere in the text and are counted as it is read.
struct Numbering {
  /// Which list a paragraph belongs to, and how deep; what says less is filled up from its style.
  struct Place: Equatable {
    var list: String?
    var level: Int?

    /// From a paragraph's or a style's properties.
    init?(_ properties: Markup.Node) {
      guard let numbering = properties.first(where: { $0.name == "numpr" }) else { return nil }
      list = numbering.first { $0.name == "numid" }?.attribute("val")
      level = numbering.first { $0.name == "ilvl" }?.attribute("val").flatMap { Int($0) }
    }
  }

  private struct Level {
    var format = "decimal"
    var text = ""
    var start = 1
  }

  private struct List {
    /// Lists of one scheme go on counting where the other stopped.
    var scheme: String
    var starts: [Int: Int] = [:]
  }

  private var schemes: [String: [Int: Level]] = [:]
  private var lists: [String: List] = [:]
  private var counts: [String: [Int]] = [:]
  private var begun: Set<String> = []
  private static let depth = 9
  /// In letters: it stands before each paragraph of its list.
  private static let longest = 60

  init() {}

  init(_ root: Markup.Node) {
    for scheme in root.all({ $0.name == "abstractnum" }) {
      guard let id = scheme.attribute("abstractNumId") else { continue }
      for level in scheme.all({ $0.name == "lvl" }) {
        guard let place = level.attribute("ilvl").flatMap({ Int($0) }), (0..<Self.depth).contains(place) else {
          continue
        }
        func value(_ name: String) -> String? { level.first { $0.name == name }?.attribute("val") }
        schemes[id, default: [:]][place] = Level(
          format: value("numfmt") ?? "decimal", text: (value("lvltext") ?? "").letters(40),
          start: value("start").flatMap { Int($0) } ?? 1)
      }
    }
    for list in root.all({ $0.name == "num" }) {
      guard let id = list.attribute("numId"),
        let scheme = list.first(where: { $0.name == "abstractnumid" })?.attribute("val")
      else { continue }
      var known = List(scheme: scheme)
      for override in list.all({ $0.name == "lvloverride" }) {
        guard let level = override.attribute("ilvl").flatMap({ Int($0) }),
          let start = override.first(where: { $0.name == "startoverride" })?.attribute("val").flatMap({ Int($0) })
        else { continue }
        known.starts[level] = start
      }
      lists[id] = known
    }
  }

  /// What stands before the next paragraph of a list; nil for a bullet, and for what is no list.
  mutating func next(_ place: Place) -> String? {
    let depth = min(max(place.level ?? 0, 0), Self.depth - 1)
    guard let id = place.list, let list = lists[id], let levels = schemes[list.scheme], let level = levels[depth] else {
      return nil
    }
    var count = counts[list.scheme] ?? (0..<Self.depth).map { (levels[$0]?.start ?? 1) &- 1 }
    if begun.insert(id).inserted {
      for (level, start) in list.starts where level < Self.depth && level >= 0 { count[level] = start &- 1 }
    }
    count[depth] &+= 1
    for deeper in depth + 1..<Self.depth { count[deeper] = (levels[deeper]?.start ?? 1) &- 1 }
    counts[list.scheme] = count
    guard level.format != "bullet", level.format != "none", level.text.contains("%") else { return nil }
    var text = level.text
    for part in 0...depth where text.contains("%\(part + 1)") {
      let number = max(count[part], levels[part]?.start ?? 1)
      text = text.replacing("%\(part + 1)", with: Self.written(number, levels[part]?.format ?? "decimal"))
    }
    let number = text.trimmed().letters(Self.longest)
    return number.isEmpty ? nil : number
  }

  static func written(_ number: Int, _ format: String) -> String {
    guard number > 0, number < 4000 else { return "\(number)" }
    switch format {
    case "lowerLetter", "upperLetter":
      // After z come aa, bb and so on.
      let letter = String(UnicodeScalar(UInt8(97 + (number - 1) % 26)))
      let text = String(repeating: letter, count: (number - 1) / 26 + 1)
      return format == "upperLetter" ? text.uppercased() : text
    case "lowerRoman": return roman(number).lowercased()
    case "upperRoman": return roman(number)
    default: return "\(number)"
    }
  }

  private static func roman(_ number: Int) -> String {
    var (rest, text) = (number, "")
    for (value, sign) in [
      (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"),
      (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
    ] {
      while rest >= value { (rest, text) = (rest - value, text + sign) }
    }
    return text
  }
}
