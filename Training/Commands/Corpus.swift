import Commands
import Foundation

/// An utterance with what it means.
struct Example {
  var text: String
  /// The fine label the classifier learns.
  var label: String
  var intent: Intent { IntentModel.intent(label) }
  /// Marked words by slot name ("title", "time", "to", "subject", "body").
  var slots: [String: [String]] = [:]
  /// Where they stand, as UTF-8 offsets.
  var spans: [(slot: String, bytes: Range<Int>)] = []
  var source: String
  /// Examples of one template fall on one side of every split.
  var group: Int
}

enum Corpus {
  private struct Line: Decodable {
    var text: String
    var annotated: String
    var label: String
  }

  static func load(_ file: URL, source: String) throws -> [Example] {
    try String(contentsOf: file, encoding: .utf8).split(separator: "\n").enumerated().map { index, line in
      let line = try JSONDecoder().decode(Line.self, from: Data(line.utf8))
      let pieces = marked(line.annotated)
      var example = Example(text: line.text, label: label(line.label, line.text), source: source, group: index)
      for (name, words) in pieces { example.slots[name, default: []].append(words) }
      example.spans = spans(pieces, in: line.text)
      return example
    }
  }

  private static func label(_ fine: String, _ text: String) -> String {
    switch fine {
    case "calendar_set": return text.contains("remind") ? "add_reminder" : "create_event"
    case "email_sendemail": return "send_email"
    case "email_query": return "read_email"
    case "email_querycontact", "email_addcontact": return "contact"
    case "calendar_query", "calendar_remove": return fine
    default:
      let scenario = String(fine.prefix { $0 != "_" })
      return scenario == "music" ? "play" : scenario
    }
  }

  /// "[event_name : team meeting] on [date : friday]", in the order in which it stands there.
  private static func marked(_ annotated: String) -> [(slot: String, words: String)] {
    let names = [
      "event_name": "title", "date": "time", "time": "time", "timeofday": "time", "general_frequency": "time",
      "person": "to", "relation": "to", "email_address": "to",
    ]
    return annotated.split(separator: "[").dropFirst().compactMap { part in
      let halves = part.prefix { $0 != "]" }.split(separator: ":", maxSplits: 1).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      return halves.count == 2 ? names[halves[0]].map { ($0, halves[1]) } : nil
    }
  }

  /// Each piece at its first place behind the one before.
  private static func spans(_ marked: [(slot: String, words: String)], in text: String) -> [(
    slot: String, bytes: Range<Int>
  )] {
    var at = text.startIndex
    return marked.compactMap { slot, words in
      guard let range = text.range(of: words, range: at..<text.endIndex) else { return nil }
      at = range.upperBound
      let start = text[..<range.lowerBound].utf8.count
      return (slot, start..<(start + words.utf8.count))
    }
  }

  /// "label NAME" alone begins the utterances of a label; "label the boxes on Friday" is one of them.
  private static func heading(_ line: String) -> String? {
    let words = line.split(separator: " ")
    return words.count == 2 && words[0] == "label" ? String(words[1]) : nil
  }

  /// The lines of utterances.txt; see its head for the notation.
  static func utterances(_ file: URL) throws -> [Example] {
    var examples: [Example] = []
    var label = ""
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init) {
      if line.hasPrefix("#") { continue }
      if let named = heading(line) {
        label = named
        continue
      }
      let isMail = label == "send_email"
      let names: [Character: String] = [
        "[": isMail ? "to" : "title", "(": isMail ? "body" : "time", "{": "subject",
      ]
      var (text, inside, slot) = ("", "", "")
      var slots: [String: [String]] = [:]
      var spans: [(slot: String, bytes: Range<Int>)] = []
      for character in line {
        if Intent(rawValue: label) ?? .none != .none, let name = names[character] {
          (slot, inside) = (name, "")
        } else if !slot.isEmpty, "])}".contains(character) {
          slots[slot, default: []].append(inside)
          spans.append((slot, (text.utf8.count - inside.utf8.count)..<text.utf8.count))
          slot = ""
        } else {
          text.append(character)
          inside.append(character)
        }
      }
      let fine = label == "calendar_change" ? "calendar_remove" : label
      examples.append(
        Example(text: text, label: fine, slots: slots, spans: spans, source: "written", group: examples.count))
    }
    return examples
  }

  /// Expands the templates of authored.txt; see its head for the notation.
  static func authored(_ file: URL, perTemplate: Int, random: inout Random) throws -> [Example] {
    var lists: [String: [String]] = [:]
    var templates: [(label: String, text: String)] = []
    var list: String?
    var label = ""
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init) {
      if line.hasPrefix("#") { continue }
      if line.hasPrefix("@") {
        list = String(line.dropFirst())
      } else if let named = heading(line) {
        (label, list) = (named, nil)
      } else if let list {
        lists[list, default: []].append(line)
      } else {
        templates.append((label, line))
      }
    }
    let fine = ["calendar_change": "calendar_remove"]
    var examples: [Example] = []
    for (group, template) in templates.enumerated() {
      var seen = Set<String>()
      for _ in 0..<perTemplate {
        var text = ""
        var slots: [String: [String]] = [:]
        var spans: [(slot: String, bytes: Range<Int>)] = []
        for (index, part) in template.text.split(separator: "{", omittingEmptySubsequences: false).enumerated() {
          guard index > 0, let close = part.firstIndex(of: "}") else {
            text += part
            continue
          }
          let names = part[..<close].split(separator: "=").map(String.init)
          let values = lists[names.last ?? ""] ?? []
          let value = values[random.next(values.count)]
          if names.count == 2 {
            let slot = names[0] == "when" ? "time" : names[0]
            slots[slot, default: []].append(value)
            spans.append((slot, text.utf8.count..<(text.utf8.count + value.utf8.count)))
          }
          text += value + part[part.index(after: close)...]
        }
        guard seen.insert(text).inserted else { continue }
        examples.append(
          Example(
            text: text, label: fine[template.label] ?? template.label, slots: slots, spans: spans, source: "authored",
            group: group))
      }
    }
    return examples
  }
}

/// A small generator with a fixed seed, so that every run makes the same data.
struct Random {
  var state: UInt64

  mutating func next(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % max(1, bound)
  }

  mutating func chance(_ percent: Int) -> Bool { next(100) < percent }
}

/// What recognition and speech do to words: homophones, lost small words, hesitations, no punctuation.
enum SpeechNoise {
  private static let homophones = [
    "to": "two", "two": "to", "for": "four", "four": "for", "too": "to", "ate": "eight", "eight": "ate", "mail": "male",
    "email": "e mail", "meet": "meat", "write": "right", "read": "red", "note": "not", "week": "weak", "our": "hour",
    "by": "buy", "buy": "by", "the": "a", "a": "the", "there": "their", "mum": "mom", "calendar": "calender",
  ]
  private static let small: Set<String> = ["a", "the", "to", "on", "at", "for", "my", "an", "of", "me", "please"]
  private static let hesitations = ["um", "uh", "er", "like", "so", "okay", "well"]

  /// The same for the same text in every run.
  static func applied(_ text: String) -> String { heard(text).map(\.text).joined(separator: " ") }

  /// The words as they are heard, each with the number of the spoken word it came from; nil for a hesitation.
  static func heard(_ text: String) -> [(text: String, spoken: Int?)] {
    var random = Random(state: text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 })
    var words: [(text: String, spoken: Int?)] = text.lowercased().split(separator: " ").enumerated().map {
      ($1.filter { !",.?!;:".contains($0) }, $0)
    }
    for index in words.indices {
      if random.chance(6), let heard = homophones[words[index].text] { words[index].text = heard }
    }
    if random.chance(35), let lost = words.indices.filter({ small.contains(words[$0].text) }).randomOne(&random) {
      words.remove(at: lost)
    }
    if random.chance(20) {
      let hesitation = hesitations[random.next(hesitations.count)]
      words.insert((hesitation, nil), at: random.next(words.count + 1))
    }
    return words
  }
}

extension Array {
  fileprivate func randomOne(_ random: inout Random) -> Element? { isEmpty ? nil : self[random.next(count)] }
}
