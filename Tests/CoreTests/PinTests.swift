import Core
import Foundation
import TestSupport
import Testing

/// What set-up, tests and benchmarks fetch from others is what was once looked at, byte for byte.
@Suite("What is fetched from others")
struct PinTests {
  @Test(
    "Every Python package is named with its version and with hashes, and so is every package it needs",
    arguments: [
      "Tests/Browser/requirements", "Tests/Clients/requirements", "Training/requirements",
      "Benchmarks/commands/requirements", "Benchmarks/answers", "Benchmarks/speech", "Benchmarks/memory",
    ])
  func packages(_ list: String) throws {
    let lines = try Checkout.text("\(list).txt").replacing("\\\n", with: " ").split(separator: "\n")
    let packages = lines.filter { !$0.hasPrefix("#") && !$0.allSatisfy(\.isWhitespace) }
    #expect(!packages.isEmpty)
    let pinned = #/[A-Za-z0-9._\[\],-]+==[^ ;]+( ;[^\\]*?)?( +--hash=sha256:[0-9a-f]{64})+/#
    for package in packages.map({ $0.trimmingCharacters(in: .whitespaces) }) {
      #expect(package.wholeMatch(of: pinned) != nil, "\(package)")
    }
    let wanted = try Checkout.text("\(list).in").split(separator: "\n").filter { !$0.hasPrefix("#") }
    for one in wanted {
      let name = one.prefix { $0 != " " }
      #expect(packages.contains { $0.hasPrefix(name) }, "\(name) of requirements.in is not among them")
    }
  }

  @Test(
    "Whatever runs pip asks for hashes and takes nothing that is built here",
    arguments: ["Engine/setup.sh", "Tests/run.sh", "Benchmarks/run.sh", "libera"])
  func installing(_ script: String) throws {
    let lines = try Checkout.text(script).replacing("\\\n", with: " ").split(separator: "\n")
    for line in lines where line.contains("install") && (line.contains("-m pip") || line.contains("bin/pip")) {
      #expect(line.contains("--require-hashes") && line.contains("--only-binary=:all:"), "\(line)")
    }
  }

  @Test("The engine that the program names is the pinned one, and is named nowhere else")
  func engine() throws {
    let pins = try Checkout.text("Engine/pins")
    let line = try #require(pins.split(separator: "\n").first { $0.hasPrefix("llama ") })
    let (name, version) = (line.split(separator: " ")[1], line.split(separator: " ")[2])
    #expect(Version.engine == "\(name) \(version)")
    #expect(Version.pinned("llama", in: "# llama a 1 b c\nllama other 2.0 *.tar.gz 00\n") == "other 2.0")
    #expect(Version.pinned("llama", in: "llama-two other 2.0 *.tar.gz 00") == nil)
    #expect(try !Checkout.text("Sources/Core/Version.swift").contains(version))
  }

  @Test(
    "Every patch of the engine says what of, why, how that was measured, what holds it and what upstream knows of it",
    arguments: ["Engine/patches", "Engine/card"])
  func patches(of place: String) throws {
    let folder = Checkout.root.appending(path: place)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(!names.isEmpty)
    var included: Set<String> = []
    for (index, name) in names.enumerated() {
      let number = String(repeating: "0", count: 4 - "\(index + 1)".count) + "\(index + 1)"
      #expect(name.hasPrefix("\(number)-") && name.hasSuffix(".patch"), "\(name)")
      let patch = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
      let parts = patch.split(separator: "\n---\n", maxSplits: 1)
      try #require(parts.count == 2, "\(name)")
      for field in ["Of: ", "Why: ", "Measured: ", "Held by: ", "Upstream: "] {
        let line = parts[0].split(separator: "\n").first { $0.hasPrefix(field) } ?? ""
        #expect(line.dropFirst(field.count).contains { !$0.isWhitespace }, "\(name): \(field)")
      }
      for match in parts[1].matches(of: #/\+#include "libera-([a-z]+\.h)"/#) { included.insert(String(match.1)) }
    }
    for header in included { #expect(try !Checkout.text("Engine/\(header)").isEmpty) }
  }

  @Test("What set-up compiles and what packs are made of is named by its hash")
  func sources() throws {
    for line in try Checkout.text("Engine/pins").split(separator: "\n") where !line.hasPrefix("#") {
      #expect(line.split(separator: " ").last?.wholeMatch(of: #/[0-9a-f]{64}/#) != nil, "\(line)")
    }
    struct Catalogue: Decodable { var packs: [Pack] }
    struct Pack: Decodable {
      var id: String
      var hash: String
      var sha256: String?
    }
    let catalogue = try JSONDecoder().decode(Catalogue.self, from: Data(Checkout.text("Packs/catalogue.json").utf8))
    // The others' is asked of the publisher at the pull, and refused where there is none.
    for pack in catalogue.packs where pack.hash == "catalogue" {
      #expect(pack.sha256?.wholeMatch(of: #/[0-9a-f]{64}/#) != nil, "\(pack.id)")
    }
  }
}
