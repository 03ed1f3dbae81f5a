import Foundation

/// A form as browsers and API clients send files: fields as text, files as ranges of the body.
struct Multipart: Sendable {
  struct Part: Sendable {
    var name: String
    var fileName: String?
    var range: Range<Int>
  }

  private(set) var parts: [Part] = []
  private let body: Data
  private static let mostParts = 64
  private static let longestHead = 8192

  init(_ body: Data, contentType: String) throws(ServerError) {
    self.body = body
    guard let boundary = Multipart.parameter("boundary", of: contentType), (1...70).contains(boundary.utf8.count) else {
      throw .unreadable("the form names no boundary")
    }
    let line = Data("--\(boundary)".utf8)
    let breaks = Data("\r\n--\(boundary)".utf8)
    guard body.starts(with: line) else { throw .unreadable("the form does not begin with its boundary") }
    var place = body.startIndex + line.count
    var count = 0
    // Behind a boundary come two hyphens at the end, else the line's end, a head, and what lasts until the next boundary.
    while !body[place...].starts(with: Data("--".utf8)) {
      count += 1
      guard count <= Multipart.mostParts else { throw .unreadable("the form has too many parts") }
      let limit = min(body.endIndex, place + Multipart.longestHead)
      guard body[place...].starts(with: Data("\r\n".utf8)),
        let gap = body.range(of: Data("\r\n\r\n".utf8), in: place..<limit),
        let end = body.range(of: breaks, in: (gap.upperBound - 2)..<body.endIndex)
      else { throw .unreadable("the form ends in the middle of a part") }
      let head = String(decoding: body[place..<gap.lowerBound], as: UTF8.self)
      if let part = Multipart.part(head, gap.upperBound..<max(gap.upperBound, end.lowerBound)) { parts.append(part) }
      place = end.upperBound
    }
  }

  func text(_ name: String) -> String? { texts(name).first }

  /// Also under the name with brackets, as lists are sent.
  func texts(_ name: String) -> [String] {
    parts.filter { $0.name == name || $0.name == "\(name)[]" }.map { String(decoding: body[$0.range], as: UTF8.self) }
  }

  func bytes(_ part: Part) -> Data { body[part.range] }

  private static func part(_ head: String, _ range: Range<Int>) -> Part? {
    for line in head.components(separatedBy: "\r\n") {
      let pair = line.split(separator: ":", maxSplits: 1)
      guard pair.count == 2, pair[0].lowercased() == "content-disposition" else { continue }
      let value = String(pair[1])
      guard let name = parameter("name", of: value) else { return nil }
      return Part(name: name, fileName: parameter("filename", of: value), range: range)
    }
    return nil
  }

  /// `a; name="value"; other=word`
  static func parameter(_ wanted: String, of header: String) -> String? {
    for piece in header.split(separator: ";").dropFirst() {
      let pair = piece.split(separator: "=", maxSplits: 1)
      guard pair.count == 2, pair[0].trimmingCharacters(in: .whitespaces).lowercased() == wanted else { continue }
      let value = pair[1].trimmingCharacters(in: .whitespaces)
      guard value.hasPrefix("\""), value.hasSuffix("\""), value.count >= 2 else { return value }
      return String(value.dropFirst().dropLast())
    }
    return nil
  }
}
