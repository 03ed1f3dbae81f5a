import Documents
import Foundation

/// One message as a document: who wrote what to whom and when, then its text and the names of what is attached.
struct Message: FlowingDocument {
  private let part: MailPart
  private let request: MailRequest

  /// The headers that nearly every message has, at the beginning of a text.
  static func begins(_ text: String) -> Bool {
    let head = text.prefix { $0 != "\n" }.prefix(1_000)
    guard head.firstMatch(of: #/^[A-Za-z][A-Za-z0-9-]*: /#) != nil || head.hasPrefix("From ") else { return false }
    let names = text.prefix(16_000).split(separator: "\n", omittingEmptySubsequences: false).prefix { !$0.isBlank }
      .compactMap { line in line.firstIndex(of: ":").map { line[..<$0].lowercased() } }
    let others = ["date", "message-id", "mime-version", "received", "delivered-to", "return-path"]
    return names.contains("from") && names.contains("subject") && names.contains(where: others.contains)
  }

  init(_ bytes: [UInt8]) {
    var request = MailRequest()
    (request.headerCharacters, request.bytes) = (2_000, bytes.count)
    self.request = request
    part = MailPart(bytes[...], request)
  }

  private func header(_ name: String) -> String? {
    let text = MailCharset.header(part.headers[name] ?? "").collapsed()
    return text.isEmpty ? nil : String(text.prefix(request.headerCharacters))
  }

  func info() -> DocumentInfo {
    var info = DocumentInfo(kind: .message)
    info.title = header("subject").flatMap { Title.cleaned($0) }
    info.author = header("from")
    return info
  }

  func blocks(_ output: ParseOutput) throws -> [Block] {
    var blocks = header("subject").map { [Block(.heading(level: 1), $0)] } ?? []
    let lines = [("From", "from"), ("To", "to"), ("Cc", "cc"), ("Date", "date")].compactMap { label, name in
      header(name).map { "\(label): \($0)" }
    }
    if !lines.isEmpty { blocks.append(Block(.paragraph, lines.joined(separator: "\n"))) }
    var (seen, attached) = (0, [String]())
    if let body = body(part, depth: 0, &seen, &attached) { blocks += body }
    blocks += attached.map { Block(.listItem(level: 1), "- \($0)") }
    return blocks
  }

  /// The text of a message; plain text before the same as a page.
  private func body(_ part: MailPart, depth: Int, _ seen: inout Int, _ attached: inout [String]) -> [Block]? {
    seen += 1
    guard depth < request.depth, seen <= request.parts else { return nil }
    let (name, parameters) = part.type
    if let file = part.fileName, depth > 0 {
      attached.append(file)
      return nil
    }
    if name == "multipart/alternative" {
      let forms = part.parts(parameters["boundary"] ?? "", request).compactMap { one in
        body(one, depth: depth + 1, &seen, &attached).map { (one.type.name, $0) }
      }
      return (forms.first { $0.0 == "text/plain" && !$0.1.isEmpty } ?? forms.last)?.1
    }
    if name.hasPrefix("multipart/") {
      let all = part.parts(parameters["boundary"] ?? "", request).compactMap {
        body($0, depth: depth + 1, &seen, &attached)
      }
      return all.isEmpty ? nil : Array(all.joined())
    }
    if name == "message/rfc822" {
      let inner = Message(Array(part.body))
      return body(inner.part, depth: depth + 1, &seen, &attached)
    }
    guard name.hasPrefix("text/") || name.isEmpty else { return nil }
    let text = MailCharset.decode(part.decoded(limit: 8 << 20), parameters["charset"] ?? "utf-8")
    return name == "text/html" ? HTMLText.read(text).blocks : PlainText.blocks(text)
  }
}
