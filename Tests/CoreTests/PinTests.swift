import Foundation
import Testing

/// What set-up, tests and benchmarks fetch from others is what was once looked at, byte for byte.
@Suite("What is fetched from others")
struct PinTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private func text(_ path: String) throws -> String {
    try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
  }

  @Test(
    "Every Python package is named with its version and with hashes, and so is every package it needs",
    arguments: [
      "Packs/requirements", "Tests/Browser/requirements", "Tests/Clients/requirements", "Training/requirements",
      "Benchmarks/commands/requirements", "Benchmarks/answers", "Benchmarks/speech", "Benchmarks/memory",
    ])
  func packages(_ list: String) throws {
    let lines = try text("\(list).txt").replacing("\\\n", with: " ").split(separator: "\n")
    let packages = lines.filter { !$0.hasPrefix("#") && !$0.allSatisfy(\.isWhitespace) }
    #expect(!packages.isEmpty)
    let pinned = #/[A-Za-z0-9._\[\],-]+==[^ ;]+( ;[^\\]*?)?( +--hash=sha256:[0-9a-f]{64})+/#
    for package in packages.map({ $0.trimmingCharacters(in: .whitespaces) }) {
      #expect(package.wholeMatch(of: pinned) != nil, "\(package)")
    }
    let wanted = try text("\(list).in").split(separator: "\n").filter { !$0.hasPrefix("#") }
    for one in wanted {
      let name = one.prefix { $0 != " " }
      #expect(packages.contains { $0.hasPrefix(name) }, "\(name) of requirements.in is not among them")
    }
  }

  @Test(
    "Whatever runs pip asks for hashes and takes nothing that is built here",
    arguments: ["Engine/setup.sh", "Tests/run.sh", "Benchmarks/run.sh", "libera"])
  func installing(_ script: String) throws {
    let lines = try text(script).replacing("\\\n", with: " ").split(separator: "\n")
    for line in lines where line.contains("install") && (line.contains("-m pip") || line.contains("bin/pip")) {
      #expect(line.contains("--require-hashes") && line.contains("--only-binary=:all:"), "\(line)")
    }
  }

  @Test("What set-up compiles and what packs are made of is named by its hash")
  func sources() throws {
    for line in try text("Engine/pins").split(separator: "\n") where !line.hasPrefix("#") {
      #expect(line.split(separator: " ").last?.wholeMatch(of: #/[0-9a-f]{64}/#) != nil, "\(line)")
    }
    struct Catalogue: Decodable { var packs: [Pack] }
    struct Pack: Decodable {
      var id: String
      var hash: String
      var sha256: String?
    }
    let catalogue = try JSONDecoder().decode(Catalogue.self, from: Data(text("Packs/catalogue.json").utf8))
    // The others' is asked of the publisher at the pull, and refused where there is none.
    for pack in catalogue.packs where pack.hash == "catalogue" {
      #expect(pack.sha256?.wholeMatch(of: #/[0-9a-f]{64}/#) != nil, "\(pack.id)")
    }
  }
}
