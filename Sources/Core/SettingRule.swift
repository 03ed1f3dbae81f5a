import Foundation

/// What a setting may be. `all` is the one table: what the page, an API or a terminal gives and what stands in a settings file
/// are held to it alike.
package struct SettingRule: Sendable {
  package enum Kind: Sendable {
    case choice([String])
    case flag
    case whole(ClosedRange<Int>)
    case number(ClosedRange<Double>)
    /// A pack's id.
    case name
    /// A code as in "en", or "auto".
    case language
    case words
    case some(of: [String])
    case folder
    case sender
    case mailProgram
    case templates
    /// A text with lines, of so many characters at most.
    case prose(most: Int)
    case aliases
    case origins
    case repositories
  }

  /// Who may change it: anyone with a key, a person at the page or in a terminal, or a terminal alone.
  package enum SetBy: String, Codable, Sendable { case anyone, person, terminal }

  /// Where it stands in a list that people read.
  package enum Group: String, Codable, Sendable, CaseIterable { case answers, voice, actions, device, programs }

  package var name: String
  package var kind: Kind
  package var group: Group
  /// The program chooses it well without the person.
  package var isForTheCurious = false
  /// Whether it may be null.
  package var isOptional = false

  package var setBy: SetBy {
    switch (kind, name) {
    case (.mailProgram, _), (.folder, _), (.origins, _), (.repositories, _): .terminal
    // A program with a key must not speak in the person's name to whoever answers.
    case (.prose, _): .person
    case (.sender, _), (_, "connectors"), (_, "sendsUnasked"), (_, "mailUndoSeconds"), (_, "offline"): .person
    default: .anyone
    }
  }

  package static let all: [SettingRule] = [
    .init(name: "mode", kind: .choice(Mode.allCases.map(\.rawValue)), group: .answers),
    .init(name: "instructions", kind: .prose(most: 2000), group: .answers, isOptional: true),
    .init(name: "provider", kind: .choice(ProviderKind.allCases.map(\.rawValue)), group: .answers, isOptional: true),
    .init(name: "pack", kind: .name, group: .answers, isOptional: true),
    .init(name: "deepPack", kind: .name, group: .answers, isOptional: true),
    .init(name: "compute", kind: .choice(Compute.allCases.map(\.rawValue)), group: .device, isForTheCurious: true),
    .init(name: "threads", kind: .whole(1...256), group: .device, isForTheCurious: true, isOptional: true),
    .init(name: "microBatch", kind: .whole(1...8192), group: .device, isForTheCurious: true, isOptional: true),
    .init(
      name: "kvType", kind: .choice(KVType.allCases.map(\.rawValue)), group: .device, isForTheCurious: true,
      isOptional: true),
    .init(name: "flashAttention", kind: .flag, group: .device, isForTheCurious: true, isOptional: true),
    .init(
      name: "contextTokens", kind: .whole(256...4_194_304), group: .device, isForTheCurious: true, isOptional: true),
    .init(name: "passages", kind: .whole(1...200), group: .answers, isForTheCurious: true, isOptional: true),
    .init(name: "threshold", kind: .number(0...1), group: .answers, isForTheCurious: true, isOptional: true),
    .init(
      name: "generationTokens", kind: .whole(1...100_000), group: .answers, isForTheCurious: true, isOptional: true),
    .init(name: "evidenceSeconds", kind: .number(0.1...3600), group: .answers, isForTheCurious: true, isOptional: true),
    .init(name: "idleUnloadMinutes", kind: .whole(0...10_080), group: .device, isForTheCurious: true),
    .init(name: "backgroundUnloadSeconds", kind: .whole(0...86_400), group: .device, isForTheCurious: true),
    .init(name: "breakAfterMinutes", kind: .whole(0...1440), group: .device, isForTheCurious: true),
    .init(name: "tier", kind: .choice(Allowance.allCases.map(\.rawValue)), group: .answers, isForTheCurious: true),
    .init(name: "speechLanguage", kind: .language, group: .voice),
    .init(name: "vocabulary", kind: .words, group: .voice),
    .init(name: "voiceThreshold", kind: .number(0.1...0.95), group: .voice, isForTheCurious: true),
    .init(name: "hangOverMs", kind: .whole(100...3000), group: .voice, isForTheCurious: true),
    .init(name: "automaticStopMs", kind: .whole(100...600_000), group: .voice, isForTheCurious: true, isOptional: true),
    .init(name: "connectors", kind: .some(of: ["calendar", "tasks", "notes", "mail", "inbox"]), group: .actions),
    .init(name: "calendarFolder", kind: .folder, group: .actions, isForTheCurious: true, isOptional: true),
    .init(name: "tasksFolder", kind: .folder, group: .actions, isForTheCurious: true, isOptional: true),
    .init(name: "notesFolder", kind: .folder, group: .actions, isForTheCurious: true, isOptional: true),
    .init(name: "mailFolder", kind: .folder, group: .actions, isForTheCurious: true, isOptional: true),
    .init(name: "mailFrom", kind: .sender, group: .actions, isOptional: true),
    .init(name: "sendmail", kind: .mailProgram, group: .actions, isForTheCurious: true, isOptional: true),
    .init(name: "mailUndoSeconds", kind: .whole(0...86_400), group: .actions),
    .init(name: "sendsUnasked", kind: .flag, group: .actions),
    .init(name: "offline", kind: .flag, group: .device),
    .init(name: "templates", kind: .templates, group: .answers),
    .init(name: "aliases", kind: .aliases, group: .programs, isForTheCurious: true),
    .init(name: "origins", kind: .origins, group: .programs, isForTheCurious: true, isOptional: true),
    .init(name: "repositories", kind: .repositories, group: .programs, isForTheCurious: true, isOptional: true),
  ]

  package static func of(_ name: String) -> SettingRule? { all.first { $0.name == name } }

  /// What is allowed, as the end of "it is …".
  package var allowed: String {
    let words =
      switch kind {
      case .choice(let choices): "one of \(choices.joined(separator: ", "))"
      case .flag: "true or false"
      case .whole(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
      case .number(let range): "a number from \(range.lowerBound) to \(range.upperBound)"
      case .name: "the id of a pack"
      case .language: "a language's code as in \"en\", or \"auto\""
      case .words: "a list of at most 1000 words, none longer than 100 characters"
      case .some(let choices): "a list out of \(choices.joined(separator: ", "))"
      case .folder:
        "a folder's whole path, neither your home nor a folder around it, and hidden only where calendars and mail are kept"
      case .sender: "an address as in ada@example.org or Ada <ada@example.org>"
      case .templates:
        "a list of at most 64 templates, each a name, a colon and a text, together at most 4000 characters"
      case .prose(let most): "a text of at most \(most) characters, none of them hidden"
      case .aliases: "a list of at most 64 names with packs, as in [\"gpt-4o=smollm2-135m-instruct-q4_1\"]"
      case .origins: "a list of at most 16 origins to the letter, as in [\"https://chat.example.org\"]"
      case .repositories: "a list of at most 256 repositories of the hub, as in [\"OWNER/REPO\"]"
      case .mailProgram: "a program that sends mail, with its arguments, as in \"/usr/bin/msmtp -t\""
      }
    return isOptional ? words + ", or null" : words
  }

  package func accepts(_ value: JSONNode) -> Bool {
    if let words = value.allTexts { return accepts(words) }
    return switch (kind, value) {
    case (_, .null): isOptional
    case (.choice(let choices), .text(let text)): choices.contains(text)
    case (.flag, .flag): true
    case (.whole(let range), .whole(let number)): range.contains(number)
    case (.number(let range), .whole(let number)): range.contains(Double(number))
    case (.number(let range), .number(let number)): range.contains(number)
    case (.name, .text(let text)): text.utf8.count <= 100 && text.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9._-]*/) != nil
    case (.language, .text(let text)): text == "auto" || text.wholeMatch(of: /[a-z]{2,3}/) != nil
    case (.prose(let most), .text(let text)): Self.isProse(text, most)
    case (.folder, .text(let text)): Self.isFolder(text)
    case (.sender, .text(let text)): Self.isSender(text)
    case (.mailProgram, .text(let text)): MailProgram.isAcceptable(text)
    default: false
    }
  }

  private func accepts(_ words: [String]) -> Bool {
    switch kind {
    case .words:
      words.count <= 1000
        && words.allSatisfy { !$0.isEmpty && $0.utf8.count <= 400 && $0.count <= 100 && Self.isPlain($0) }
    case .some(let choices): words.allSatisfy(choices.contains)
    case .templates: words.count <= 64 && words.allSatisfy(Self.isTemplate)
    case .aliases:
      words.count <= 64 && Set(words.map { $0.prefix { $0 != "=" } }).count == words.count
        && words.allSatisfy { Self.alias($0) != nil }
    case .origins: words.count <= 16 && words.allSatisfy(Self.isOrigin)
    case .repositories: words.count <= 256 && words.allSatisfy(Self.isRepository)
    default: false
    }
  }

  /// As in "Shorter: Say this in one sentence: {selection}".
  static func isTemplate(_ text: String) -> Bool {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    return parts.count == 2 && text.utf8.count <= 16_000 && text.count <= 4000 && (1...60).contains(parts[0].count)
      && isPlain(String(parts[0])) && parts[1].contains { !$0.isWhitespace }
  }

  /// Lines and tabs are the person's own, and the joiners that emoji, Persian and Indic scripts are written with.
  static func isProse(_ text: String, _ most: Int) -> Bool {
    let shown = text.unicodeScalars.filter { !["\n", "\t", "\u{200C}", "\u{200D}"].contains($0) }
    return text.count <= most && text.utf8.count <= 4 * most && text.contains { !$0.isWhitespace }
      && isPlain(String(String.UnicodeScalarView(shown)))
  }

  /// The name and the pack that it stands for.
  package static func alias(_ text: String) -> (name: String, pack: String)? {
    guard text.utf8.count <= 200,
      let found = text.wholeMatch(of: /([A-Za-z0-9][A-Za-z0-9._:\/-]*)=([A-Za-z0-9][A-Za-z0-9._-]*)/)
    else { return nil }
    return (String(found.1), String(found.2))
  }

  /// As in "OWNER/REPO"; neither part is "." or "..", nor begins with a sign.
  package static func isRepository(_ text: String) -> Bool {
    text.utf8.count <= 200
      && text.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9._-]*\/[A-Za-z0-9][A-Za-z0-9._-]*/) != nil
  }

  /// As a browser writes it: no path, no capital letters. Neither "null", which every sandboxed page has, nor a pattern.
  static func isOrigin(_ text: String) -> Bool {
    text.utf8.count <= 200 && text.wholeMatch(of: /(https?|[a-z]+-extension):\/\/[a-z0-9.-]+(:[0-9]{1,5})?/) != nil
  }

  /// No control characters, line breaks or marks that turn the direction of writing.
  package static func isPlain(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy {
      switch $0.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: false
      default: true
      }
    }
  }

  private static func isSender(_ text: String) -> Bool {
    let address = /[^\s<>@,;:"()]+@[^\s<>@,;:"()]+/
    guard text.utf8.count <= 320, isPlain(text) else { return false }
    if text.wholeMatch(of: address) != nil { return true }
    guard let open = text.lastIndex(of: "<"), text.last == ">" else { return false }
    let inner = text[text.index(after: open)...].dropLast()
    return inner.wholeMatch(of: address) != nil && !text[..<open].contains { "<>@,;".contains($0) }
  }

  /// What lies hidden in a person's home is other programs' own: what they start, whom they trust. Only where calendars and mail are
  /// kept by habit may be named.
  private static let hidden = [
    ".calendars", ".contacts", ".maildir", ".mail", ".local/share/calendars", ".local/share/vdirsyncer",
    ".local/share/khal", ".local/share/mail", ".local/share/notes",
  ]

  static func isFolder(_ text: String, home: String = NSHomeDirectory()) -> Bool {
    guard text.utf8.count <= 1000, isPlain(text), text.hasPrefix("/") || text.hasPrefix("~/") else { return false }
    let written = text.hasPrefix("~/") ? home + text.dropFirst() : text
    func parts(_ path: String) -> [String] { ForeignName.parts(path).filter { !["", "."].contains($0) } }
    let (folder, home) = (parts(written), parts(home))
    guard !folder.contains(".."), !home.starts(with: folder) else { return false }
    guard folder.starts(with: home) else { return !folder.contains { $0.hasPrefix(".") } }
    let inside = folder.dropFirst(home.count)
    let known = hidden.map(parts).first { inside.starts(with: $0) }
    return !inside.dropFirst(known?.count ?? 0).contains { $0.hasPrefix(".") }
  }
}
