package import Foundation

/// One header of a tar file: the 512 bytes before what a member holds, which is filled up to the next such step.
///
/// Whoever reads a file of others decides what kinds and names are let in; `fault` makes that room's error of what is wrong.
package struct TarHeader: Sendable {
  package static let block = 512

  /// What does not fit its hundred bytes stands before it, in a member of its own.
  package let name: String
  /// The same for where a link leads.
  package let target: String
  package let kind: UInt8
  package let isProgram: Bool
  package let bytes: Int
  /// Whether more of the name stands in another field.
  package let isSplit: Bool

  package var isFile: Bool { [0, UInt8(ascii: "0")].contains(kind) }

  /// nil for the empty block that ends a file.
  package static func read(_ data: Data?, _ fault: (String) -> any Error) throws -> TarHeader? {
    guard let data, data.count == block else { throw fault("it has no end") }
    let bytes = [UInt8](data)
    if bytes.allSatisfy({ $0 == 0 }) { return nil }
    // The checksum counts its own eight places as spaces.
    let sum = bytes.enumerated().reduce(0) { $0 + ((148..<156).contains($1.offset) ? 32 : Int($1.element)) }
    guard bytes[257..<262].elementsEqual("ustar".utf8), number(bytes[148..<156]) == sum,
      let size = number(bytes[124..<136]), let mode = number(bytes[100..<108])
    else { throw fault("it is no tar file, or a damaged one") }
    guard let name = text(bytes[..<100]), let target = text(bytes[157..<257]) else { throw fault("a name is no text") }
    return TarHeader(
      name: name, target: target, kind: bytes[156], isProgram: mode & 0o100 != 0, bytes: size,
      isSplit: bytes[345] != 0)
  }

  /// What fills the step after so many bytes.
  package static func padding(_ bytes: Int) -> Int { (block - bytes % block) % block }

  /// Up to its first zero.
  package static func text(_ bytes: some Collection<UInt8>) -> String? {
    String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }

  private static func number(_ field: ArraySlice<UInt8>) -> Int? {
    // Eight gigabytes and more: the number itself, marked by the first bit.
    if field.first == 0x80 { return Int(exactly: field.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }) }
    let digits = field.drop { $0 == UInt8(ascii: " ") }.prefix { $0 != 0 && $0 != UInt8(ascii: " ") }
    guard digits.allSatisfy({ (48...55).contains($0) }) else { return nil }
    return digits.isEmpty ? 0 : Int(String(decoding: digits, as: UTF8.self), radix: 8)
  }
}
