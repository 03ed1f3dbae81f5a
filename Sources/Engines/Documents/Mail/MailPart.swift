import Core
import Documents

/// A message or a part of one, as RFC 5322 and MIME write it: the headers that are asked for, and the bytes of its body.
struct MailPart {
  private(set) var headers: [String: String] = [:]
  private(set) var body: ArraySlice<UInt8>

  private static let wanted: Set<String> = [
    "from", "to", "cc", "subject", "date", "content-type", "content-transfer-encoding",
    "content-disposition", "message-id", "in-reply-to", "references",
  ]
  /// Of one header, unfolded.
  private static let headerBytes = 16_000

  init(_ bytes: ArraySlice<UInt8>, _ request: MailRequest) {
    var rest = bytes
    var last: String?
    var (count, size) = (0, 0)
    body = bytes[bytes.endIndex...]
    while let line = Self.line(&rest) {
      if line.isEmpty {
        body = rest
        return
      }
      size += min(line.count, Self.headerBytes)
      count += 1
      guard count <= request.headers, size <= request.headerBytes else { continue }
      if line.first == 0x20 || line.first == 0x09 {
        if let last, let text = headers[last], text.utf8.count < Self.headerBytes {
          headers[last] = text + " " + Self.text(line)
        }
      } else if let colon = line.firstIndex(of: 0x3A) {
        let name = Self.text(line[..<colon]).lowercased()
        // Of headers that a message may have once, the first counts.
        last = Self.wanted.contains(name) && headers[name] == nil ? name : nil
        if let last { headers[last] = Self.text(line[(colon + 1)...].prefix(Self.headerBytes)) }
      } else {
        last = nil
      }
    }
  }

  /// The next line without its end; nil when there is none.
  static func line(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard !rest.isEmpty else { return nil }
    let end = rest.firstIndex(of: 0x0A) ?? rest.endIndex
    var line = rest[..<end]
    rest = end < rest.endIndex ? rest[(end + 1)...] : rest[rest.endIndex...]
    if line.last == 0x0D { line = line.dropLast() }
    return line
  }

  /// Headers are ASCII; where they are not they are mostly UTF-8.
  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    let space: Set<UInt8> = [0x20, 0x09, 0x0D]
    let trimmed = bytes.drop { space.contains($0) }.reversed().drop { space.contains($0) }.reversed()
    return MailCharset.decode(Array(trimmed), "utf-8")
  }

  /// "text/plain", and its parameters.
  var type: (name: String, parameters: [String: String]) {
    var parts: [String] = [""]
    var (quoted, escaped) = (false, false)
    for character in headers["content-type"] ?? "text/plain" {
      if escaped {
        parts[parts.count - 1].append(character)
        escaped = false
      } else if quoted, character == "\\" {
        escaped = true
      } else if character == "\"" {
        quoted.toggle()
      } else if character == ";", !quoted, parts.count < 50 {
        parts.append("")
      } else {
        parts[parts.count - 1].append(character)
      }
    }
    var parameters: [String: String] = [:]
    for part in parts.dropFirst() {
      let halves = part.split(separator: "=", maxSplits: 1).map { $0.trimmingPrefix(while: \.isWhitespace) }
      if halves.count == 2 {
        parameters[halves[0].lowercased().filter { !$0.isWhitespace }] = String(halves[1])
      }
    }
    return (parts[0].lowercased().filter { !$0.isWhitespace }, parameters)
  }

  /// What an attached file is called; nil for what is shown as text.
  var fileName: String? {
    let disposition = headers["content-disposition"] ?? ""
    let named =
      Self.encodedName(disposition)
      ?? disposition.firstMatch(of: /filename\s*=\s*"?([^";]+)/.ignoresCase()).map { MailCharset.header(String($0.1)) }
      ?? type.parameters["name"].map(MailCharset.header)
    let isText = type.name.hasPrefix("text/") && !disposition.lowercased().hasPrefix("attachment")
    guard !isText, !type.name.isEmpty, !type.name.hasPrefix("multipart/"), type.name != "message/rfc822" else {
      return nil
    }
    return named.map { $0.collapsed().letters(200) } ?? type.name
  }

  /// A name as RFC 2231 writes it: `filename*=utf-8''Gr%C3%BC%C3%9Fe.pdf`, perhaps in numbered pieces.
  private static func encodedName(_ disposition: String) -> String? {
    var (bytes, charset) = ([UInt8](), "utf-8")
    for piece in disposition.matches(of: /filename\*(?:\d+\*?)?=\s*"?([^";]+)/.ignoresCase()).prefix(50) {
      var text = piece.1
      let parts = text.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
      if bytes.isEmpty, parts.count == 3 { (charset, text) = (String(parts[0]), parts[2]) }
      bytes += MailCharset.quotedPrintable(text.utf8.map { $0 == 0x25 ? 0x3D : $0 }, isHeader: false)
    }
    return bytes.isEmpty ? nil : MailCharset.decode(bytes, charset)
  }

  /// An attached file's content; texts in UTF-8, whatever they were sent in.
  func fileBytes() -> [UInt8] {
    let bytes = decoded(limit: 128 << 20)
    guard type.name.hasPrefix("text/"), let charset = type.parameters["charset"] else { return bytes }
    return Array(MailCharset.decode(bytes, charset).utf8)
  }

  /// The parts that a boundary sets apart.
  func parts(_ boundary: String, _ request: MailRequest) -> [MailPart] {
    guard !boundary.isEmpty, boundary.utf8.count <= 200 else { return [] }
    let mark = Array("--\(boundary)".utf8)
    var parts: [MailPart] = []
    var rest = body
    var start: Int?
    while !rest.isEmpty, parts.count < request.parts {
      let before = rest.startIndex
      guard let line = Self.line(&rest) else { break }
      guard line.starts(with: mark) else { continue }
      if let start, start <= before { parts.append(MailPart(body[start..<before], request)) }
      start = rest.startIndex
      if line.dropFirst(mark.count).starts(with: [0x2D, 0x2D]) { return parts }
    }
    // A message that was cut off ends within a part.
    if let start, start < body.endIndex, parts.count < request.parts {
      parts.append(MailPart(body[start...], request))
    }
    return parts
  }

  /// The body with its transfer encoding undone.
  func decoded(limit: Int) -> [UInt8] {
    switch (headers["content-transfer-encoding"] ?? "").lowercased() {
    case "quoted-printable": MailCharset.quotedPrintable(body.prefix(4 * limit), isHeader: false)
    case "base64": MailCharset.base64(body.prefix(2 * limit))
    default: Array(body.prefix(limit))
    }
  }
}
