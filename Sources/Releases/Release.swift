/// Three numbers, as in 0.2.0. Anything else is no version of ours.
package struct ReleaseVersion: Sendable, Comparable, CustomStringConvertible {
  private let numbers: [Int]

  package init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { part in
      part.utf8.count <= 6 && part.utf8.allSatisfy { (48...57).contains($0) } ? Int(part) : nil
    }
    guard parts.count == 3, numbers.count == 3 else { return nil }
    self.numbers = numbers
  }

  package var description: String { numbers.map(String.init).joined(separator: ".") }

  package static func < (one: Self, other: Self) -> Bool { one.numbers.lexicographicallyPrecedes(other.numbers) }
}

/// The tar file of a version, by the name under which it is published: `libera-0.2.0-linux-x86_64.tar.gz`.
package struct ReleaseName: Sendable, Equatable {
  package let version: ReleaseVersion

  /// What runs here.
  #if arch(x86_64)
    package static let system = "linux-x86_64"
  #else
    package static let system = "linux-aarch64"
  #endif
  private static let (before, after) = ("libera-", "-\(system).tar.gz")

  package init?(_ file: some StringProtocol) {
    guard file.hasPrefix(Self.before), file.hasSuffix(Self.after),
      file.utf8.count > Self.before.utf8.count + Self.after.utf8.count,
      let version = ReleaseVersion(file.dropFirst(Self.before.count).dropLast(Self.after.count))
    else { return nil }
    self.version = version
    // A version has one way to be written: 01.2.0 is not a version.
    guard self.file == file else { return nil }
  }

  package var file: String { "\(Self.before)\(version)\(Self.after)" }
  /// The one folder that is in it.
  package var folder: String { String(file.dropLast(".tar.gz".count)) }

  /// What lies beside it wherever it is published.
  package static let sums = "SHA256SUMS"
  package static let signature = "SHA256SUMS.minisig"
  package static let mostSums = 1 << 20
}

/// What is offered beside what is there.
package enum ReleaseComparison: String, Sendable, Codable {
  case newer, same, older

  package init(_ offered: ReleaseVersion, over installed: ReleaseVersion) {
    self = offered > installed ? .newer : offered == installed ? .same : .older
  }
}
