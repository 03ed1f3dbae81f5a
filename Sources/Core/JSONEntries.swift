package import Foundation

/// The entries of a JSON list one after the other, so that only one of them is taken apart at a time. What an entry holds is not looked
/// at: one that is no JSON shows when it is read.
package struct JSONEntries: Sequence, IteratorProtocol {
  private let json: Data
  private var at: Data.Index
  /// Whether the list has ended as lists do.
  package private(set) var isWhole = false

  /// nil where it is no list.
  package init?(_ json: Data) {
    guard let start = json.firstIndex(where: { $0 > UInt8(ascii: " ") }), json[start] == UInt8(ascii: "[") else {
      return nil
    }
    (self.json, at) = (json, start + 1)
  }

  package mutating func next() -> Data? {
    var (depth, texts) = (0, JSONTexts())
    let start = at
    while at < json.endIndex, !isWhole {
      let byte = json[at]
      at += 1
      switch byte {
      case _ where texts.holds(byte): break
      case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "]") where depth == 0:
        isWhole = true
        let last = json[start..<at - 1]
        return last.contains { $0 > UInt8(ascii: " ") } ? last : nil
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      case UInt8(ascii: ",") where depth == 0: return json[start..<at - 1]
      default: break
      }
    }
    return nil
  }
}
