import Core
import Documents
import Foundation

/// One message as a document: who wrote what to whom and when, then its text and what is attached.
struct MailDocument {
  private let part: MailPart
  private let request: MailRequest

  /// The headers that nearly every message has, at the beginning of a text.
  static func begins(_ text: String) -> Bool {
    let head = text.prefix { $0 != "\n" }.prefix(1_000)
    // A header may be folded right behind its name: "From:", and the address on the next line.
    guard head.firstMatch(of: #/^[A-Za-z][A-Za-z0-9-]*:(?:[ \t\r]|$)/#) != nil || head.hasPrefix("From ") else {
      return false
    }
    let names = text.prefix(16_000).split(separator: "\n", omittingEmptySubsequences: false).prefix { !$0.isBlank }
      .compactMap { line in line.firstIndex(of: ":").map { line[..<$0].lowercased() } }
    let others = ["date", "message-id", "mime-version", "received", "delivered-to", "return-path"]
    return names.contains("from") && names.contains("subject") && names.contains(where: others.contains)
  }

  init(_ bytes: [UInt8]) {
    var request = MailRequest()
    (request.headerCharacters, request.bytes) = (2_000, bytes.count)
    self.init(MailPart(bytes[...], request), request)
  }

  fileprivate init(_ part: MailPart, _ request: MailRequest) { (self.part, self.request) = (part, request) }

  private func header(_ name: String) -> String? {
    let text = MailCharset.header(part.headers[name] ?? "").collapsed()
    return text.isEmpty ? nil : String(text.prefix(request.headerCharacters))
  }

  /// What tells the message from others to a person.
  var name: String? {
    let parts = [header("subject") ?? header("from"), header("date")].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: " · ").letters(300)
  }

  func info() -> DocumentInfo {
    var info = DocumentInfo(kind: .message)
    info.title = header("subject").flatMap { Title.cleaned($0) }
    info.author = header("from")
    info.mail = MailIds.place(of: part.headers)
    return info
  }

  func blocks(_ attachments: Attachments) throws -> [Block] {
    var walk = MessageWalk(request: request)
    let text = heading(level: 1) + (walk.body(part, depth: 0) ?? [])
    return try text + walk.files.flatMap(attachments.blocks)
  }

  fileprivate func heading(level: Int) -> [Block] {
    var blocks = header("subject").map { [Block(.heading(level: level), $0)] } ?? []
    let lines = [("From", "from"), ("To", "to"), ("Cc", "cc"), ("Date", "date")].compactMap { label, name in
      header(name).map { "\(label): \($0)" }
    }
    if !lines.isEmpty { blocks.append(Block(.paragraph, lines.joined(separator: "\n"))) }
    return blocks
  }
}

/// From part to part: the text, and what is attached on the way.
private struct MessageWalk {
  let request: MailRequest
  private(set) var files: [Attachments.File] = []
  private var seen = 0

  private static let signatures = [
    "application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature",
  ]

  init(request: MailRequest) { self.request = request }

  /// The text of a part; plain text before the same as a page.
  mutating func body(_ part: MailPart, depth: Int, inPage: Bool = false) -> [Block]? {
    seen += 1
    guard depth < request.depth, seen <= request.parts else { return nil }
    let (name, parameters) = part.type
    if let file = part.fileName {
      let isRead = !(inPage && name.hasPrefix("image/")) && !Self.signatures.contains(name)
      files.append(Attachments.File(name: file, bytes: part.fileBytes, isRead: isRead))
      return nil
    }
    if name.hasPrefix("multipart/") {
      let inPage = inPage || name == "multipart/related"
      let found = part.parts(parameters["boundary"] ?? "", request).compactMap { one in
        body(one, depth: depth + 1, inPage: inPage).map { (one.type.name, $0) }
      }
      if name == "multipart/alternative" {
        return (found.first { $0.0 == "text/plain" && !$0.1.isEmpty } ?? found.last)?.1
      }
      return found.isEmpty ? nil : found.flatMap(\.1)
    }
    if name == "message/rfc822" {
      let inner = MailDocument(MailPart(part.body, request), request)
      return inner.heading(level: 2) + (body(MailPart(part.body, request), depth: depth + 1) ?? [])
    }
    guard name.hasPrefix("text/") || name.isEmpty else { return nil }
    let text = MailCharset.decode(part.decoded(limit: 8 << 20), parameters["charset"] ?? "utf-8")
    return name == "text/html" ? HTMLText.read(text).blocks : PlainText.blocks(text)
  }
}
