import Core
import Foundation
import Testing

@testable import Releases

@Suite("A published version: its name, its checksum, who has signed it")
struct ReleaseTests {
  /// Made by minisign 0.10 with a key of this test's own; the second signature is of the kind that earlier versions made.
  private static let key = """
    untrusted comment: minisign public key F8BB914C26208FA8
    RWSojyAmTJG7+CuPxUJfpSzKf24h6/si3QFy4qQt069X804zndQ0J8aR

    """
  private static let otherKey = "RWQBAgMEBQYHCCuPxUJfpSzKf24h6/si3QFy4qQt069X804zndQ0J8aR"
  private static let hash = "90aebae315675cbf04612de4f7d5874850f48e0b8dd82becbeaa47ca93f5ebfb"
  private static let sums = Data("\(hash)  libera-9.8.7-\(ReleaseName.system).tar.gz\n".utf8)
  private static let signatures = [
    """
    untrusted comment: signature from minisign secret key
    RUSojyAmTJG7+BGyZrsg8Mi6q10D8W2iR/OPLSjHE3hqFWo7hiefwJydiJbXNmCGjlFgTOk0CtXggDTRkMXheC0oFvtK+u26QAg=
    trusted comment: LiberaGPT 9.8.7
    ++EE8aydJD5NCtidICCMbs1JamrCh+1EH0z6i4m/0aLj1WqIGEUDK+VR8+VD2Sbq4pAeecSYVWA509TZByWWAg==

    """,
    """
    untrusted comment: signature from minisign secret key
    RWSojyAmTJG7+NoQODQdcgni/Wl14EBwAH+SSuh88CxqEUIVo029VYKfgxwUxTcF/YvrF+SI24b8dkEjiOD+D7MLyyWFekeBEQM=
    trusted comment: LiberaGPT 9.8.7
    W8/NJtMjCTNuJIQO9LuFd5i/aWwoYvek1opVkoPThkBiSUzktn4fTShTcDJS4QCCV/Tm71oV5iCf1r+no56JAg==

    """,
  ]
  private static let name = ReleaseName("libera-9.8.7-\(ReleaseName.system).tar.gz")

  @Test("A version is three numbers and nothing else, in their order")
  func versions() throws {
    for text in ["", "1", "1.2", "1.2.3.4", "1.2.-3", "1.2.+3", "a.b.c", "1.2.3-beta", " 1.2.3", "1..3", "1.2.1234567"]
    {
      #expect(ReleaseVersion(text) == nil, "\(text)")
    }
    let table: [(String, String, ReleaseComparison)] = [
      ("0.2.1", "0.2.0", .newer), ("0.10.0", "0.9.9", .newer), ("1.0.0", "0.99.99", .newer), ("0.2.0", "0.2.0", .same),
      ("0.1.9", "0.2.0", .older), ("0.9.9", "0.10.0", .older),
    ]
    for (offered, installed, expected) in table {
      let one = try #require(ReleaseVersion(offered))
      #expect(try ReleaseComparison(one, over: #require(ReleaseVersion(installed))) == expected)
    }
  }

  @Test("The tar file is known by its name, for this system alone")
  func names() throws {
    let name = try #require(Self.name)
    #expect("\(name.version)" == "9.8.7" && name.folder == "libera-9.8.7-\(ReleaseName.system)")
    for file in [
      "libera-9.8.7-plan9-x86_64.tar.gz", "libera-9.8.7-\(ReleaseName.system).tar",
      "libera-09.8.7-\(ReleaseName.system).tar.gz",
      "libera--\(ReleaseName.system).tar.gz", "libera_9.8.7_amd64.deb", "libera-../9.8.7-\(ReleaseName.system).tar.gz",
      "",
    ] { #expect(ReleaseName(file) == nil, "\(file)") }
  }

  @Test("What minisign has signed holds, in both of its kinds", .enabled(if: ReleaseName.system == "linux-x86_64"))
  func signed() throws {
    let key = try PublisherKey(Self.key)
    #expect(key.name == "F8BB914C26208FA8")
    for signature in Self.signatures {
      #expect(try key.verify(Self.sums, signature: signature) == "LiberaGPT 9.8.7")
      #expect(throws: ReleaseError.self) { try key.verify(Self.sums + Data("x".utf8), signature: signature) }
      #expect(throws: ReleaseError.signature("its comment was changed")) {
        try key.verify(Self.sums, signature: signature.replacing("9.8.7", with: "9.8.8"))
      }
      #expect(throws: ReleaseError.otherKey("F8BB914C26208FA8", wanted: "0807060504030201")) {
        try PublisherKey(Self.otherKey).verify(Self.sums, signature: signature)
      }
    }
    for text in ["", "RWQ", "untrusted comment: a key\n", String(repeating: "A", count: 56)] {
      #expect(throws: ReleaseError.self) { try PublisherKey(text) }
      #expect(throws: ReleaseError.self) { try key.verify(Self.sums, signature: text) }
    }
  }

  @Test("Where a key is known only its signature counts; elsewhere a checksum does, and whatever is named must agree")
  func vouching() throws {
    let name = try #require(Self.name)
    let key = try PublisherKey(Self.key)
    let other = String(repeating: "a", count: 64)
    let sums = Self.sums
    let signature = Self.signatures[0]
    func hash(
      _ key: PublisherKey?, _ sums: Data?, _ signature: String? = nil, named: String? = nil
    ) throws -> String {
      try Vouching(of: name, key: key, sums: sums, signature: signature, named: named).sha256
    }
    #expect(try hash(nil, sums) == Self.hash)
    #expect(try hash(nil, nil, named: other) == other)
    #expect(try hash(nil, sums, named: Self.hash) == Self.hash)
    #expect(throws: ReleaseError.otherChecksum) { try hash(nil, sums, named: other) }
    #expect(throws: ReleaseError.noChecksum(name.file)) { try hash(nil, nil) }
    // Where no key is known a signature says nothing.
    #expect(try Vouching(of: name, key: nil, sums: sums, signature: signature).signer == nil)
    for (sums, signature, named) in [
      (nil, nil, other), (sums, nil, nil), (sums, nil, Self.hash), (nil, signature, other),
    ]
      as [(Data?, String?, String?)]
    {
      #expect(throws: ReleaseError.unsigned(key.name)) { try hash(key, sums, signature, named: named) }
    }
    #expect(throws: ReleaseError.self) { try hash(key, Data("\(other)  \(name.file)\n".utf8), signature) }
    if ReleaseName.system == "linux-x86_64" {
      #expect(try hash(key, sums, signature) == Self.hash)
      #expect(throws: ReleaseError.otherChecksum) { try hash(key, sums, signature, named: other) }
    }
  }

  @Test("A list of checksums names a file once, by its whole name")
  func listed() throws {
    let file = "libera-9.8.7-\(ReleaseName.system).tar.gz"
    let other = String(repeating: "b", count: 64)
    #expect(try Vouching.listed(file, in: Data("\(other)  x\n\(Self.hash) *\(file)\n".utf8)) == Self.hash)
    for text in [
      "", "\(Self.hash)  x\(file)\n", "\(Self.hash)  ./\(file)\n", "\(Self.hash) \(file)\n",
      "\(Self.hash)  \(file)\n\(other)  \(file)\n", "\(Self.hash.uppercased())  \(file)\n", "\(file)\n",
    ] { #expect(throws: ReleaseError.notListed(file), "\(text)") { try Vouching.listed(file, in: Data(text.utf8)) } }
  }
}
