import Core
import Foundation
import TestSupport
import Testing

@Suite("What is made beside the packages")
struct PackagingTests {
  private func run(_ words: [String]) throws -> Int32 { try Tool.run(words).status }

  @Test("The recipes name the packages by their checksums and their address, and say it where there is no address")
  func recipes() throws {
    let scratch = try Scratch("recipes")
    let folder = scratch.folder
    let (deb, tar) = (Data("deb".utf8), Data("tar".utf8))
    try deb.write(to: folder.appending(path: "libera_9.8.7_amd64.deb"))
    try tar.write(to: folder.appending(path: "libera-9.8.7-linux-x86_64.tar.gz"))
    let script = Checkout.root.appending(path: "Packaging/recipes.py").path
    for address in ["https://get.example/libera", ""] {
      #expect(try run(["python3", "-B", script, "9.8.7", folder.path, address]) == 0)
      for (name, data) in [("Containerfile", deb), ("libera.rb", tar), ("PKGBUILD", tar), ("libera.nix", tar)] {
        let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
        #expect(text.contains(SHA256.of(data)), "\(name)")
        if name == "Containerfile" { continue }
        #expect(text.contains("9.8.7"), "\(name)")
        #expect(text.contains(address.isEmpty ? "address is not set" : address), "\(name)")
      }
    }
  }

  /// The same files, made a second time by somebody whose files are otherwise their own alone.
  private func tree(in folder: URL, closed: Bool) throws -> URL {
    let tree = folder.appending(path: "libera-9.8.7-linux-x86_64")
    for place in ["bin", "lib/libera", "share/doc/libera"] {
      try FileManager.default.createDirectory(at: tree.appending(path: place), withIntermediateDirectories: true)
    }
    let program = tree.appending(path: "lib/libera/libera")
    try Data(repeating: 7, count: 300_000).write(to: program)
    let licence = tree.appending(path: "share/doc/libera/LICENSE")
    try Data("licence".utf8).write(to: licence)
    chmod(program.path, closed ? 0o700 : 0o755)
    chmod(licence.path, closed ? 0o600 : 0o644)
    try FileManager.default.createSymbolicLink(
      atPath: tree.appending(path: "bin/libera").path, withDestinationPath: "../lib/libera/libera")
    return tree
  }

  @Test("What is packed twice from the same files comes out the same to the byte, whoever packs it and when")
  func repeats() throws {
    let scratch = try Scratch("twice")
    let folder = scratch.folder
    let script = Checkout.root.appending(path: "Packaging/archive.py").path
    var packed: [Data] = []
    for (name, closed) in [("one", false), ("two", true)] {
      let tree = try tree(in: folder.appending(path: name), closed: closed)
      // The time of a file is not the time of packing.
      let age = [FileAttributeKey.modificationDate: Date(timeIntervalSince1970: closed ? 1 : 1_000_000)]
      try FileManager.default.setAttributes(age, ofItemAtPath: tree.appending(path: "lib/libera/libera").path)
      let out = folder.appending(path: "\(name).tar.gz")
      #expect(try run(["python3", "-B", script, "tree", tree.path, out.path, "1790000000"]) == 0)
      packed.append(try Data(contentsOf: out))
      // The time of a file is not the time of packing.
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: tree.path)
    }
    #expect(packed[0] == packed[1])
  }
}
