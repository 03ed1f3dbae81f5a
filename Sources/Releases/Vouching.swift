import Core
package import Foundation

/// Who says that a file is what was published, and which bytes it must then have.
package struct Vouching: Sendable, Equatable {
  package let sha256: String
  /// The key that signed, by minisign's name for it, and what it signed with; nil where no key is known here.
  package let signer: Signer?

  package struct Signer: Sendable, Equatable {
    package let key: String
    package let comment: String
  }

  /// `sums`: the list of checksums beside the file, with its signature if it has one. `named`: a checksum that the person has typed.
  ///
  /// Where a key is known nothing but its signature counts, also not what was typed: whoever can make a person type a checksum
  /// could otherwise take the program over.
  package init(
    of name: ReleaseName, key: PublisherKey?, sums: Data?, signature: String?, named: String? = nil
  ) throws {
    let listed = try sums.map { try Self.listed(name.file, in: $0) }
    guard let key else {
      guard let hash = named ?? listed else { throw ReleaseError.noChecksum(name.file) }
      guard listed == nil || listed == hash else { throw ReleaseError.otherChecksum }
      self.init(sha256: hash, signer: nil)
      return
    }
    guard let sums, let listed, let signature else { throw ReleaseError.unsigned(key.name) }
    let comment = try key.verify(sums, signature: signature)
    guard named == nil || named == listed else { throw ReleaseError.otherChecksum }
    self.init(sha256: listed, signer: Signer(key: key.name, comment: comment))
  }

  private init(sha256: String, signer: Signer?) { (self.sha256, self.signer) = (sha256, signer) }

  /// What a list of sha256sum says of a file.
  static func listed(_ file: String, in sums: Data) throws -> String {
    let lines = String(decoding: sums, as: UTF8.self).split(separator: "\n")
    let found = lines.filter { $0.dropFirst(66) == file && ["  ", " *"].contains($0.dropFirst(64).prefix(2)) }
      .map { String($0.prefix(64)) }
    guard let hash = found.first, SHA256.isHash(hash), Set(found).count == 1 else {
      throw ReleaseError.notListed(file)
    }
    return hash
  }
}
