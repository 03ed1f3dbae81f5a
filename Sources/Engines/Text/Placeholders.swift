import Foundation

/// Words of others while a template renders: each stands there as a mark, and afterwards apart from the template's own text.
struct Placeholders {
  private struct Hidden {
    var text: String
    /// A template may leave out part of a function's description, never part of a message.
    var mayGo: Bool
  }

  private var all: [Hidden] = []
  /// What every mark begins with: plain letters and digits, so that no template has a reason to escape or trim them; too many
  /// to guess.
  private let opening =
    "x" + String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt64.random(in: .min ... .max), radix: 36)
    + "n"

  mutating func hide(_ text: String, mayGo: Bool = false) -> String {
    all.append(Hidden(text: text, mayGo: mayGo))
    return "\(opening)\(all.count - 1)x"
  }

  /// JSON in which every text that could hold markup is hidden; its keys and values stay where they are.
  mutating func hideStrings(of json: String) -> String {
    var out = ""
    var rest = json[...]
    while let quote = rest.firstIndex(of: "\"") {
      out += rest[...quote]
      rest = rest[rest.index(after: quote)...]
      var end = rest.startIndex
      while end < rest.endIndex, rest[end] != "\"" {
        end = rest.index(end, offsetBy: rest[end] == "\\" ? 2 : 1, limitedBy: rest.endIndex) ?? rest.endIndex
      }
      let text = String(rest[..<end])
      out += text.allSatisfy(Self.isPlain) ? text : hide(text, mayGo: true)
      guard end < rest.endIndex else { return out }
      out.append("\"")
      rest = rest[rest.index(after: end)...]
    }
    return out + rest
  }

  /// In these no family of models writes markup.
  private static func isPlain(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || " .,;:_-/'()?!+*=#$&%@".contains(character))
  }

  /// In one pass, however many marks there are.
  func split(_ rendered: String) throws -> [ChatTemplate.Part] {
    let (bytes, mark) = (Array(rendered.utf8), Array(opening.utf8))
    var parts = [ChatTemplate.Part]()
    var isSeen = [Bool](repeating: false, count: all.count)
    func own(_ range: Range<Int>) {
      if !range.isEmpty { parts.append(.template(String(decoding: bytes[range], as: UTF8.self))) }
    }
    var (start, place) = (0, 0)
    while place + mark.count < bytes.count {
      guard bytes[place] == mark[0], bytes[place..<place + mark.count].elementsEqual(mark) else {
        place += 1
        continue
      }
      own(start..<place)
      let number = bytes[(place + mark.count)...].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      guard let index = Int(String(decoding: number, as: UTF8.self)), index < all.count,
        number.endIndex < bytes.count, bytes[number.endIndex] == UInt8(ascii: "x")
      else { throw EngineError.templateRefused(reason: Self.alters) }
      guard !isSeen[index] else {
        throw EngineError.templateRefused(reason: "it repeats text that must be kept apart")
      }
      isSeen[index] = true
      if !all[index].text.isEmpty { parts.append(.untrusted(all[index].text)) }
      (start, place) = (number.endIndex + 1, number.endIndex + 1)
    }
    own(start..<bytes.count)
    guard zip(all, isSeen).allSatisfy({ $0.mayGo || $1 }) else {
      throw EngineError.templateRefused(reason: Self.alters)
    }
    return parts
  }

  private static let alters = "it drops or alters text that must be kept apart"
}
