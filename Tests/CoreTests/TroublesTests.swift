import Foundation
import TestSupport
import Testing

@testable import Core

@Suite("What is said of errors")
struct TroublesTests {
  private func troubles(in language: String = "en") throws -> Troubles {
    try Troubles(of: Installation(at: Checkout.root), in: language)
  }

  @Test("Every code that an error can have has its one place in docs/troubles.md, and no other stands there")
  func everyCode() throws {
    let known = try Self.codes()
    // As many as there are, or the search has missed where they are written.
    #expect(known.count > 200)
    let told = try troubles().entries.flatMap(\.codes)
    #expect(known.subtracting(told) == [], "without a place in docs/troubles.md")
    #expect(Set(told).subtracting(known) == [], "no error has these codes")
    #expect(told.count == Set(told).count, "a code stands in two places")
  }

  @Test(
    "What more is said of a code is said in every language, with the same commands, files and addresses",
    arguments: Troubles.languages)
  func languages(language: String) throws {
    let file = Installation(at: Checkout.root).troubles(in: language)
    let own = Troubles(in: try String(contentsOf: file, encoding: .utf8))
    let english = try troubles().entries
    let coded = english.filter { !$0.codes.isEmpty && !$0.text.isEmpty }
    #expect(coded.count > 30)
    #expect(own.entries.map(\.codes) == coded.map { [$0.codes[0]] }, "places that are missing, left over or elsewhere")
    let told = try troubles(in: language).entries
    #expect(told.map(\.codes) == english.map(\.codes))
    for (told, english) in zip(told, english) where !english.codes.isEmpty && !english.text.isEmpty {
      #expect(told.language == language && told.title != english.title && told.text != english.text, "\(english.title)")
      #expect(Self.names(in: told.text) == Self.names(in: english.text), "\(english.title)")
    }
    #expect(try troubles(in: "../nl") == troubles())
  }

  /// What is the same in every language: of what stands as code, the part before what a person puts in its place.
  private static func names(in text: String) -> Set<String> {
    let codes = text.matches(of: /`([^`]+)`/).map { String($0.1) }
    let words = codes.flatMap { $0.split(separator: " ").map(String.init) }
    return Set(words.filter { $0.wholeMatch(of: /.*[A-ZÉ]{2}.*/) == nil })
  }

  @Test("A place names commands that there are, and only one has nothing to say")
  func worded() throws {
    let commands = try FileManager.default.contentsOfDirectory(
      atPath: Checkout.root.appending(path: "Sources/libera/Commands").path
    )
    .flatMap { name in
      let text = try Checkout.text("Sources/libera/Commands/\(name)")
      return text.matches(of: /static let name = "([a-z]+)"/).map { String($0.1) }
    }
    #expect(commands.count > 30)
    let entries = try troubles().entries
    #expect(entries.count { $0.text.isEmpty } == 1)
    for entry in entries where !entry.text.isEmpty {
      for match in entry.text.matches(of: /`libera ([a-z]+)/) {
        #expect(commands.contains(String(match.1)), "\(entry.title): libera \(match.1)")
      }
    }
  }

  @Test("Places are told apart by their headings, codes by their line, and other code is text")
  func parts() {
    let found = Troubles(
      in:
        "# A\nwhy\n## B\n### One\n`a_b` `c`\n\nFirst `x` here.\n\n- more\n## C\nlost\n### Two\nNo code.\n### Three\n`d`\n"
    )
    #expect(
      found.entries == [
        .init(title: "One", codes: ["a_b", "c"], text: "First `x` here.\n\n- more"),
        .init(title: "Two", codes: [], text: "No code."), .init(title: "Three", codes: ["d"], text: ""),
      ])
    #expect(found.entry(for: "c")?.title == "One")
    #expect(found.entry(for: "d") == nil)
    #expect(found.entry(for: "x") == nil)
  }

  /// As they are written in the sources: in what an error calls its code, and where one is made without a type of its own.
  private static func codes() throws -> Set<String> {
    var found: Set<String> = []
    let sources = Checkout.root.appending(path: "Sources")
    let walk = try #require(FileManager.default.enumerator(atPath: sources.path))
    for case let name as String in walk where name.hasSuffix(".swift") && !isOfApps(name) {
      let text = try String(contentsOf: sources.appending(path: name), encoding: .utf8)
      found.formUnion(text.matches(of: /(?:RemoteError|init)\(\s*code: "([a-z_]+)"/).map { String($0.1) })
      for match in text.matches(of: /missing\(kind: "([a-z]+)"/) { found.insert("\(match.1)_not_found") }
      var indent: Int?
      for line in text.split(separator: "\n") {
        let depth = line.prefix { $0 == " " }.count
        if line.contains("var code: String {") {
          indent = depth
        } else if let outer = indent, depth <= outer {
          indent = nil
        }
        if indent != nil || line.contains("var code: String {") {
          found.formUnion(line.matches(of: /"([a-z_]+)"/).map { String($0.1) })
        }
      }
    }
    return found
  }

  /// What only an app's own screens say.
  private static func isOfApps(_ file: String) -> Bool {
    file.hasPrefix("LiberaScreens") || file.hasPrefix("LiberaKit")
  }
}
