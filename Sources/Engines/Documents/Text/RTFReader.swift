import Documents

/// Goes through the file once: braces open and close groups, words behind a backslash command, the rest is text.
struct RTFReader {
  /// Where a group's text goes.
  private enum Target { case body, nowhere, title, author, fonts, styles }

  private struct Group {
    var target = Target.body
    var isHidden = false
    /// How many characters stand in for one of Unicode's, for programs that do not know it.
    var standIns = 1
    var encoding = "windows-1252"
    var isFootnote = false
    /// Nothing but its own commands has come yet, so a command can still say where its text goes.
    var isFresh = true
    var isOptional = false
  }

  private let bytes: [UInt8]
  private var at = 0
  private var groups = [Group()]
  private var pending: [UInt8] = []
  private var toSkip = 0

  private var flow = OfficeFlow()
  private var kind = Block.Kind.paragraph
  private var isOpen = false
  private var inTable = (paragraph: false, row: false, cell: false)
  private var title = ""
  private var author = ""

  private var encoding = "windows-1252"
  private var fonts: [Int: String] = [:]
  private var font = 0
  private var headings: [Int: Int] = [:]
  private var style = (number: 0, name: "")

  private static let deepest = 2_000

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var blocks: [Block] { flow.blocks }
  var info: DocumentInfo {
    var info = DocumentInfo(kind: .rtf)
    info.title = Title.cleaned(title)
    info.author = author.isBlank ? nil : author.collapsed()
    return info
  }

  mutating func read() throws {
    while at < bytes.count {
      let byte = bytes[at]
      at += 1
      switch byte {
      case UInt8(ascii: "{"):
        flush()
        var group = groups[groups.count - 1]
        (group.isFresh, group.isOptional, group.isFootnote) = (true, false, false)
        guard groups.count < Self.deepest else { throw DocumentError.damaged("its groups are nested too deeply") }
        groups.append(group)
        toSkip = 0
      case UInt8(ascii: "}"):
        flush()
        close()
      case UInt8(ascii: "\\"): command()
      case 0x0A, 0x0D, 0: continue
      default: add(byte)
      }
    }
    flush()
    endParagraph()
    endTable()
  }

  private mutating func close() {
    guard groups.count > 1 else { return }
    let group = groups.removeLast()
    if group.isFootnote { flow.endParagraph() }
    if group.target == .styles { endStyle() }
    toSkip = 0
  }

  // MARK: Text

  private mutating func add(_ byte: UInt8) {
    groups[groups.count - 1].isFresh = false
    if toSkip > 0 {
      toSkip -= 1
      return
    }
    if groups[groups.count - 1].target == .styles, byte == UInt8(ascii: ";") {
      flush()
      return endStyle()
    }
    pending.append(byte)
  }

  private mutating func flush() {
    guard !pending.isEmpty else { return }
    let text = MailCharset.decode(pending, groups[groups.count - 1].encoding)
    pending = []
    add(text)
  }

  private mutating func add(_ text: String) {
    let group = groups[groups.count - 1]
    switch group.target {
    case .title: title += text
    case .author: author += text
    case .styles: style.name += text
    case .nowhere, .fonts: return
    case .body:
      guard !group.isHidden else { return }
      beginParagraph()
      flow.append(text)
    }
  }

  private mutating func character(_ scalar: String) {
    flush()
    add(scalar)
  }

  private mutating func beginParagraph() {
    guard !isOpen else { return }
    if inTable.paragraph {
      if !inTable.row {
        if !hasTable { flow.beginTable() }
        hasTable = true
        flow.beginRow()
        inTable.row = true
      }
      if !inTable.cell {
        flow.beginCell()
        inTable.cell = true
      }
    } else {
      endTable()
    }
    flow.beginParagraph(kind)
    isOpen = true
  }
  private var hasTable = false

  private mutating func endParagraph() {
    if isOpen {
      flow.setKind(kind)
      flow.endParagraph()
    }
    isOpen = false
  }

  private mutating func endTable() {
    guard hasTable else { return }
    if inTable.row { endRow() }
    flow.endTable()
    hasTable = false
  }

  private mutating func endCell() {
    // An empty cell stands in its row too.
    let before = inTable.paragraph
    inTable.paragraph = true
    beginParagraph()
    endParagraph()
    flow.endCell()
    inTable.cell = false
    inTable.paragraph = before
  }

  private mutating func endRow() {
    if inTable.cell { endCell() }
    if inTable.row { flow.endRow(header: false) }
    inTable.row = false
  }

  private mutating func endStyle() {
    let name = style.name.trimmed().lowercased()
    // Programs write these names in English, whatever language they speak.
    if name.hasPrefix("heading "), let level = Int(name.dropFirst(8)), (1...9).contains(level) {
      headings[style.number] = min(6, level)
    } else if name == "title" {
      headings[style.number] = 1
    }
    style.name = ""
  }

  // MARK: Commands

  private mutating func command() {
    guard at < bytes.count else { return }
    let byte = bytes[at]
    guard Self.isLetter(byte) else {
      at += 1
      return sign(byte)
    }
    let start = at
    while at < bytes.count, at - start < 32, Self.isLetter(bytes[at]) { at += 1 }
    let word = String(decoding: bytes[start..<at], as: UTF8.self)
    var digits = ""
    if at + 1 < bytes.count, bytes[at] == UInt8(ascii: "-"), Self.isDigit(bytes[at + 1]) {
      digits = "-"
      at += 1
    }
    while at < bytes.count, digits.utf8.count < 10, Self.isDigit(bytes[at]) {
      digits.unicodeScalars.append(Unicode.Scalar(bytes[at]))
      at += 1
    }
    if at < bytes.count, bytes[at] == UInt8(ascii: " ") { at += 1 }
    obey(word, Int(digits))
  }

  private mutating func sign(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "'"):
      let digits = bytes[at..<min(at + 2, bytes.count)]
      at += digits.count
      if let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16) { add(value) }
    case UInt8(ascii: "~"): character(" ")
    case UInt8(ascii: "_"): character("-")
    case UInt8(ascii: "*"): groups[groups.count - 1].isOptional = true
    case 0x0A, 0x0D: obey("par", nil)
    case UInt8(ascii: "\\"), UInt8(ascii: "{"), UInt8(ascii: "}"): add(byte)
    default: break
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte) }
  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static let signs = [
    "tab": " ", "line": "\n", "emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“",
    "rdblquote": "”", "bullet": "•", "emspace": " ", "enspace": " ", "softline": "\n",
  ]
  private static let unread: Set<String> = [
    "colortbl", "pict", "object", "header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf",
    "fldinst", "xe", "tc", "generator", "listtable", "listoverridetable", "rsidtbl", "mmathPr", "latentstyles",
    "nonshppict", "themedata", "datastore", "revtbl", "filetbl", "annotation", "atnid", "atnauthor", "bkmkstart",
    "bkmkend", "info", "background", "template", "docvar", "ftnsep", "ftnsepc", "aftnsep", "aftnsepc", "nextfile",
  ]

  private mutating func obey(_ word: String, _ number: Int?) {
    // Pictures may be written as bytes, whatever becomes of them.
    if word == "bin" {
      at = min(bytes.count, at + max(0, number ?? 0))
      return
    }
    if toSkip > 0 {
      toSkip -= 1
      return
    }
    flush()
    if let sign = Self.signs[word] { return add(sign) }
    if opensTarget(word) { return }
    let last = groups.count - 1
    switch word {
    case "par", "sect", "page":
      guard groups[last].target == .body else { return }
      if groups[last].isFootnote || groups.contains(where: \.isFootnote) { return flow.append(" ") }
      endParagraph()
    case "pard": (kind, inTable.paragraph) = (.paragraph, false)
    case "intbl": inTable.paragraph = true
    case "cell", "nestcell": if groups[last].target == .body { endCell() }
    case "row", "nestrow": if groups[last].target == .body { endRow() }
    case "outlinelevel": if let number, (0..<9).contains(number) { kind = .heading(level: min(6, number + 1)) }
    case "s":
      if groups[last].target == .styles {
        style.number = number ?? 0
      } else if let level = headings[number ?? 0] {
        kind = .heading(level: level)
      }
    case "ls": if case .paragraph = kind, groups[last].target == .body { kind = .listItem(level: 1) }
    case "ilvl": if case .listItem = kind { kind = .listItem(level: min(9, max(0, number ?? 0)) + 1) }
    case "v", "deleted": groups[last].isHidden = number != 0
    case "plain": groups[last].isHidden = false
    case "uc": groups[last].standIns = min(10, max(0, number ?? 1))
    case "u": unicode(number ?? 0)
    case "ansicpg":
      encoding = Self.name(page: number ?? 1252)
      for index in groups.indices { groups[index].encoding = encoding }
    case "mac": encoding = "macintosh"
    case "f":
      if groups[last].target == .fonts {
        font = number ?? 0
      } else {
        groups[last].encoding = fonts[number ?? 0] ?? encoding
      }
    case "fcharset": if groups[last].target == .fonts { fonts[font] = Self.name(charset: number ?? 0) ?? encoding }
    default: break
    }
  }

  /// Whether a word says where the text of its group goes.
  private mutating func opensTarget(_ word: String) -> Bool {
    let last = groups.count - 1
    defer { groups[last].isFresh = false }
    guard groups[last].target != .nowhere || ["title", "author"].contains(word) else { return true }
    switch word {
    case "title": groups[last].target = .title
    case "author": groups[last].target = .author
    case "fonttbl": groups[last].target = .fonts
    case "stylesheet": groups[last].target = .styles
    case "footnote":
      groups[last].isFootnote = true
      flow.beginParagraph(.footnote)
    case _ where Self.unread.contains(word): groups[last].target = .nowhere
    // What a program may leave out if it does not know it, we leave out.
    case _ where groups[last].isOptional && groups[last].isFresh && !["shppict", "listtext", "pn"].contains(word):
      groups[last].target = .nowhere
    default: return false
    }
    return true
  }

  private mutating func unicode(_ number: Int) {
    let unit = UInt16(truncatingIfNeeded: number)
    toSkip = groups[groups.count - 1].standIns
    if let before = high {
      high = nil
      if UTF16.isTrailSurrogate(unit) { return add(String(decoding: [before, unit], as: UTF16.self)) }
    }
    if UTF16.isLeadSurrogate(unit) { high = unit } else { add(String(decoding: [unit], as: UTF16.self)) }
  }
  /// The first half of a character that takes two.
  private var high: UInt16?

  private static func name(page: Int) -> String {
    switch page {
    case 437, 850, 858: "cp850"
    case 932: "shift_jis"
    case 936: "gbk"
    case 949: "euc-kr"
    case 950: "big5"
    case 10_000: "macintosh"
    case 65_001: "utf-8"
    default: "windows-\(page)"
    }
  }

  private static func name(charset: Int) -> String? {
    let pages = [
      128: 932, 129: 949, 134: 936, 136: 950, 161: 1253, 162: 1254, 177: 1255, 178: 1256, 186: 1257, 204: 1251,
      238: 1250, 77: 10_000,
    ]
    return pages[charset].map(name(page:))
  }
}
