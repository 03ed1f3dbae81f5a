import Core
import Foundation

/// "An hour before the dentist": a time told from what stands in the calendar. The entry's own time takes the place of its name, and
/// the sentence is then understood as any other.
package struct EntryTime: Sendable {
  package let entry: AgendaItem
  /// What was said, with a time in the place of the name.
  package let text: String
  /// Where the name stood, as bytes, and where its time stands now.
  private let name, time: Range<Int>

  /// So much of what was said is looked at; longer utterances are not one request.
  private static let most = 200

  /// Whether something in it may be told from the calendar, so that it is worth reading.
  package static func mayTell(_ text: String) -> Bool { !places(in: text).isEmpty }

  /// `entries`: in the order of their times.
  package init?(_ text: String, among entries: [AgendaItem], with resolver: TimeResolver) {
    var best: (place: Place, entry: AgendaItem, time: String, end: Int, count: Int)?
    for place in Self.places(in: text) {
      let told = place.toldUntil(text, resolver)
      // Of those that are called alike it is the next one, and rather what takes place than what one is reminded of for it.
      for entry in entries.filter({ $0.kind == .event }) + entries.filter({ $0.kind == .task }) {
        guard let time = place.time(of: entry), let naming = place.named(entry), naming.count > best?.count ?? -1,
          place.tokens[naming.end - 1].end > told
        else { continue }
        best = (place, entry, time, naming.end, naming.count)
      }
    }
    guard let best else { return nil }
    let tokens = best.place.tokens
    (entry, name) = (best.entry, tokens[best.place.start].start..<tokens[best.end - 1].end)
    time = name.lowerBound..<name.lowerBound + best.time.utf8.count
    let bytes = Array(text.utf8)
    self.text = String(decoding: bytes[..<name.lowerBound] + best.time.utf8 + bytes[name.upperBound...], as: UTF8.self)
  }

  /// What was understood of `text`, as of what was said.
  package func asSaid(_ understanding: Understanding) -> Understanding {
    var understanding = understanding
    if understanding.frame.intent == .addReminder, understanding.frame.slots.title == nil {
      understanding.frame.slots.title = String(entry.title.onOneLine.prefix(Self.most))
    }
    understanding.marks = understanding.marks.map { mark in
      var mark = mark
      if mark.start > time.lowerBound { mark.start = max(name.lowerBound, mark.start + name.count - time.count) }
      if mark.end > time.lowerBound { mark.end = max(name.upperBound, mark.end + name.count - time.count) }
      return mark
    }
    understanding.explanation.append("told from \"\(entry.title.onOneLine)\", \(entry.start ?? "")")
    return understanding
  }

  /// Behind a length and "before" or "after", in one of the languages.
  private struct Place {
    let words: RequestWords
    let tokens: [Token]
    let start: Int
    var isAfter: Bool { tokens[start - 1].words.contains(.after) }
    /// "The evening before" tells it from a day alone; "the day before" may, and "an hour before" cannot.
    let isPartOfDay, isOfDays: Bool

    /// How far the words tell a time by themselves: "an hour before noon", but not "an hour before lunch with Ann".
    func toldUntil(_ text: String, _ resolver: TimeResolver) -> Int {
      var resolver = resolver
      resolver.language = words.language
      let middle = tokens[start - 1]
      let readings = resolver.readings(in: text).readings.filter { $0.start < middle.start && $0.end > middle.end }
      return readings.map(\.end).max() ?? 0
    }

    /// Where the entry is named, and how many of its words stand there; by what it is alone, such as "my meeting", with none. Words that
    /// say something else are of something else: "dinner with Anna" is not lunch with her.
    func named(_ entry: AgendaItem) -> (end: Int, count: Int)? {
      let title = Token.split(entry.title, words.language.vocabulary).filter { $0.kind == .word }.map(\.stem)
      var (at, end, count, isThing) = (start, start, 0, false)
      while at < tokens.count {
        let thing = words.thing(tokens, at: at)
        if thing ?? at + 1 == at + 1, isNaming(at, title) {
          (count, at) = (count + 1, at + 1)
          end = at
        } else if let thing {
          (isThing, at) = (true, thing)
          end = at
        } else if let next = past(at) {
          at = next
        } else {
          break
        }
      }
      if count > 0 { return (end, count) }
      // "My meeting with Paul" is not the next one with somebody else.
      return isThing && entry.kind == .event && past(end) == nil ? (end, 0) : nil
    }

    /// Past what may stand in a name and says nothing: "my next", "with".
    private func past(_ at: Int) -> Int? {
      [.agendaAround, .whenAround, .joints].compactMap { words.end($0, tokens, at: at) }.max()
    }

    private func isNaming(_ at: Int, _ title: [String]) -> Bool {
      let word = tokens[at].stem
      guard tokens[at].kind == .word, word.count > 2, !words.isThingAlone(tokens[at]), past(at) == nil else {
        return false
      }
      return Understanding.isNamed(word, in: title)
    }

    /// As it can be said in all languages.
    func time(of entry: AgendaItem) -> String? {
      guard let time = isAfter ? entry.end ?? entry.start : entry.start else { return nil }
      let parts = time.split(separator: "T")
      if isPartOfDay { return String(parts[0]) }
      guard parts.count == 2 else { return isOfDays ? time : nil }
      return "\(parts[0]) \(parts[1].prefix(5))"
    }
  }

  private static func places(in text: String) -> [Place] {
    RequestWords.all.flatMap { words in
      let tokens = Array(Token.split(text, words.language.vocabulary).prefix(most))
      return tokens.indices.dropFirst(2).compactMap { start -> Place? in
        let middle = tokens[start - 1].words
        guard middle.contains(.before) || middle.contains(.after) else { return nil }
        // "The evening"; "an hour", "an hour and a half".
        let isPart = (max(0, start - 4)..<start - 1).contains { at in
          words.language.dayParts.matches(tokens, at: at).contains { $0.end == start - 1 }
        }
        let unit = tokens[..<(start - 1)].suffix(4).reversed().prefix { $0.kind != .symbol }.compactMap(\.unit).first
        guard isPart || unit != nil else { return nil }
        return Place(
          words: words, tokens: tokens, start: start, isPartOfDay: isPart, isOfDays: unit.map { $0 >= .day } ?? false)
      }
    }
  }
}
