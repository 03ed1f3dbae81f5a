import CSodium
import Core
package import Foundation

/// The publisher's public key, as minisign writes it: an untrusted comment, then a line of base64.
package struct PublisherKey: Sendable, Equatable {
  fileprivate let id: [UInt8]
  fileprivate let key: [UInt8]
  package static let mostBytes = 4096

  package init(_ text: String) throws {
    guard let line = lines(of: text).first(where: { !$0.hasPrefix("untrusted comment:") }),
      let bytes = Data(base64Encoded: line).map(Array.init), bytes.count == 42, bytes.starts(with: "Ed".utf8)
    else { throw ReleaseError.key("it is no public key of minisign") }
    (id, key) = (Array(bytes[2..<10]), Array(bytes[10...]))
  }

  /// As minisign names it.
  package var name: String { Self.name(id) }
  fileprivate static func name(_ id: [UInt8]) -> String { id.reversed().hex.uppercased() }

  /// Throws unless the holder of this key has signed these bytes; returns the comment that was signed with them.
  package func verify(_ data: Data, signature text: String) throws -> String {
    let signature = try Signature(text)
    guard signature.id == id else { throw ReleaseError.otherKey(Self.name(signature.id), wanted: name) }
    var signed = Array(data)
    if signature.isHashed {
      var hash = [UInt8](repeating: 0, count: 64)
      guard crypto_generichash(&hash, hash.count, signed, UInt64(signed.count), nil, 0) == 0 else {
        throw ReleaseError.signature("it cannot be computed")
      }
      signed = hash
    }
    guard crypto_sign_verify_detached(signature.bytes, signed, UInt64(signed.count), key) == 0 else {
      throw ReleaseError.signature("it is not of these checksums")
    }
    // The comment is signed together with the signature.
    let whole = signature.bytes + Array(signature.comment.utf8)
    guard crypto_sign_verify_detached(signature.wholeBytes, whole, UInt64(whole.count), key) == 0 else {
      throw ReleaseError.signature("its comment was changed")
    }
    return signature.comment
  }
}

/// A file that ends in `.minisig`.
private struct Signature {
  var id: [UInt8]
  /// Whether the hash of the data was signed, as minisign does by now, instead of the data.
  var isHashed: Bool
  var bytes: [UInt8]
  var comment: String
  var wholeBytes: [UInt8]

  init(_ text: String) throws {
    let written = lines(of: text)
    let mark = "trusted comment: "
    guard written.count == 4, written[0].hasPrefix("untrusted comment:"), written[2].hasPrefix(mark),
      let first = Data(base64Encoded: written[1]).map(Array.init), first.count == 74,
      let last = Data(base64Encoded: written[3]).map(Array.init), last.count == 64
    else { throw ReleaseError.signature("it is no signature of minisign") }
    switch String(decoding: first[..<2], as: UTF8.self) {
    case "Ed": isHashed = false
    case "ED": isHashed = true
    default: throw ReleaseError.signature("it is of a kind that is not known")
    }
    (id, bytes) = (Array(first[2..<10]), Array(first[10...]))
    (comment, wholeBytes) = (String(written[2].dropFirst(mark.count)), last)
  }
}

/// The lines of a short file.
private func lines(of text: String) -> [String] {
  text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
}
