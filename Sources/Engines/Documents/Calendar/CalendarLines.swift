import Documents

/// The lines of a calendar file that say what, when and where, unfolded, and of one that is read as a document what is written besides;
/// everything else (attachments, guests, what programs keep for themselves) does not come near the parser.
struct CalendarLines {
  private(set) var text: [UInt8] = []
  /// Lines about time that were too long to be read.
  private(set) var tooLong = 0

  private static let words: Set<String> = ["UID", "SUMMARY", "LOCATION"]
  private static let notes: Set<String> = ["DESCRIPTION", "X-WR-CALNAME", "PRODID"]
  private static let others: Set<String> = [
    "BEGIN", "END", "STATUS", "SEQUENCE", "COMPLETED", "DTSTART", "DTEND", "DUE", "DURATION", "RRULE", "EXRULE",
    "RDATE",
    "EXDATE", "RECURRENCE-ID", "TRIGGER", "TZID", "TZOFFSETFROM", "TZOFFSETTO",
  ]
  /// Rules of repetition are read by `RepeatingRule`; libical sees them under a name of ours. Those of zones it reads itself.
  static let rules = ["RRULE", "EXRULE"]
  static let hidden = "X-LIBERA-"
  private static let wordBytes = 8_000
  private static let lineBytes = 200_000

  init(_ file: String, _ limits: CalendarLimits, withNotes: Bool) throws {
    let words = withNotes ? Self.words.union(Self.notes) : Self.words
    var (depth, parts) = (0, 0)
    var isZone = false
    var name = ""
    var length = 0
    func close(_ lines: inout CalendarLines) {
      guard !name.isEmpty else { return }
      if length > Self.lineBytes, !words.contains(name) {
        lines.text.removeLast(Self.lineBytes)
        lines.tooLong += 1
      }
      lines.text += [0x0D, 0x0A]
      name = ""
    }
    func add(_ piece: ArraySlice<UInt8>, _ lines: inout CalendarLines) {
      let room = (words.contains(name) ? Self.wordBytes : Self.lineBytes) - length
      lines.text += piece.prefix(max(0, room))
      length += piece.count
    }
    for line in Array(file.utf8).split(separator: 0x0A) {
      let line = line.last == 0x0D ? line.dropLast() : line
      guard let first = line.first else { continue }
      if first == 0x20 || first == 0x09 {
        if !name.isEmpty { add(line.dropFirst(), &self) }
        continue
      }
      close(&self)
      let word = line.prefix(40).prefix { $0 != 0x3A && $0 != 0x3B }
      let upper = String(decoding: word, as: UTF8.self).uppercased()
      guard words.contains(upper) || Self.others.contains(upper) else { continue }
      (name, length) = (upper, 0)
      if upper == "BEGIN" {
        (depth, parts) = (depth + 1, parts + 1)
      } else if upper == "END" {
        depth = max(0, depth - 1)
      }
      if depth > 0, upper == "BEGIN" || upper == "END" {
        let value = String(decoding: line.dropFirst(upper.utf8.count + 1).prefix(40), as: UTF8.self).uppercased()
        if value.split(separator: " ").first == "VTIMEZONE" { isZone = upper == "BEGIN" }
      }
      if !isZone, Self.rules.contains(upper) { add(ArraySlice(Self.hidden.utf8), &self) }
      // The parser frees what is nested by calling itself.
      guard depth <= limits.depth else {
        throw DocumentError.damaged("more than \(limits.depth) parts inside each other")
      }
      guard parts <= 5 * limits.components else {
        throw DocumentError.damaged("more than \(5 * limits.components) parts")
      }
      add(line, &self)
    }
    close(&self)
    text.append(0)
  }
}
