import Foundation
import TestSupport
import Testing

/// The plan of the house, held to what the sources really import.
@Suite("The house")
struct HouseTests {
  /// Top floor first: a room may import only what stands after it.
  static let rooms = [
    "LiberaScreens", "LiberaKit", "Server", "Assistant", "Commands", "Spoken", "Retrieval", "Documents", "Inference",
    "Models", "Releases", "Workers", "Safety", "Resources",
    "Storage", "Core",
  ]

  @Test("No room imports one above it", arguments: Array(rooms.enumerated()))
  func importsGoDown(place: Int, room: String) throws {
    let above = Set(Self.rooms[...place])
    for file in try Self.swiftFiles(in: "Sources/\(room)") {
      for imported in try Self.imports(of: file) where above.contains(imported) && imported != room {
        Issue.record("\(room)/\(file.lastPathComponent) imports \(imported), which stands above it")
      }
    }
  }

  @Test("Only engines, and what hosts them, import the C engines")
  func enginesStayInWorkers() throws {
    let engines: Set = [
      "CLlama", "CWhisper", "CPDFium", "CTesseract", "CLeptonica", "CMarkdown", "CArchive", "CXML", "CICal", "CSndFile",
      "CCurl",
      "TextEngine", "SpeechEngine", "DocumentEngine", "ConvertEngine", "FetchEngine",
    ]
    for room in Self.rooms + ["libera"] {
      // In a program that starts no processes this one file hosts them.
      for file in try Self.swiftFiles(in: "Sources/\(room)") where !file.path.hasSuffix("/LiberaKit/Engines.swift") {
        let wrong = try Self.imports(of: file).filter(engines.contains)
        #expect(wrong.isEmpty, "\(file.lastPathComponent) imports \(wrong)")
      }
    }
  }

  @Test("JSON is read in one place, which bounds how deeply it may be nested")
  func readsJSONInOnePlace() throws {
    for room in Self.rooms + ["Engines", "libera", "libera-worker"] {
      for file in try Self.swiftFiles(in: "Sources/\(room)") where file.lastPathComponent != "JSON.swift" {
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(!text.contains("JSONDecoder()") && !text.contains(".jsonObject("), "\(file.path)")
      }
    }
  }

  @Test("The manifest lists the rooms in the order of the house")
  func manifestOrder() throws {
    let manifest = try Checkout.text("Package.swift")
    let places = Self.rooms.map { manifest.range(of: "room(\n      \"\($0)\"") ?? manifest.range(of: "room(\"\($0)\"") }
    #expect(places.allSatisfy { $0 != nil })
    let starts = places.compactMap { $0?.lowerBound }
    #expect(starts == starts.sorted())
  }

  @Test("The notice names the family and the licence of every pack in the catalogue")
  func noticeNamesPacks() throws {
    struct Entry: Decodable { var id: String, licence: String }
    struct Catalogue: Decodable { var packs: [Entry] }
    let file = Checkout.root.appending(path: "Packs/catalogue.json")
    let packs = try JSONDecoder().decode(Catalogue.self, from: Data(contentsOf: file)).packs
    let notice = try Checkout.text("NOTICE").lowercased()
    #expect(!packs.isEmpty)
    for pack in packs {
      let family = pack.id.prefix { $0 != "-" }
      #expect(notice.contains(family) && notice.contains(pack.licence.lowercased()), "\(pack.id), \(pack.licence)")
    }
  }

  @Test("Every promise in docs/threats.md names tests, and each of them exists")
  func threats() throws {
    let page = try Checkout.text("docs/threats.md")
    let tests = Checkout.root.appending(path: "Tests")
    let files = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)
    let sources = try (files?.compactMap { $0 as? URL } ?? []).filter { ["swift", "py"].contains($0.pathExtension) }
      .map { try String(contentsOf: $0, encoding: .utf8) }
    let promises = page.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.hasPrefix("| promise") }
    #expect(!promises.isEmpty)
    for promise in promises {
      let names = (promise.split(separator: "|").last ?? "").split(separator: "`").enumerated()
        .filter { $0.offset % 2 == 1 }.map { $0.element.split(separator: ".").map(String.init) }
      #expect(!names.isEmpty, "\(promise)")
      for name in names {
        let exists = sources.contains { source in
          guard name.count == 2 else {
            return source.contains("def \(name[0])") || source.contains("struct \(name[0]) ")
              || source.contains("class \(name[0]) ")
          }
          return source.contains(" \(name[0]) ") && source.contains("func \(name[1])(")
        }
        #expect(exists, "\(name.joined(separator: "."))")
      }
    }
  }

  /// The everyday path of the entry starts the program without asking the set-up.
  @Test("What the set-up does, the entry leaves to it")
  func entry() throws {
    func lines(_ path: String) throws -> [String] { try Checkout.text(path).components(separatedBy: "\n") }
    let setUp = try lines("Engine/setup.sh").drop { !$0.hasPrefix("case $command in") }
    let done = setUp.compactMap { line in
      line.firstMatch(of: /^([a-z-]+)\)/).map { String($0.1) }
    }
    let entry = try #require(try lines("libera").first { $0.hasSuffix(") ;;") && $0.contains(" | ") })
    let left = entry.dropLast(4).components(separatedBy: " | ")
    #expect(done.contains("test") && Set(done) == Set(left))
  }

  @Test("No source file is longer than 350 lines")
  func filesStaySmall() throws {
    for file in try ["Apps", "Sources", "Tests"].flatMap(Self.swiftFiles) {
      let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
        .count
      #expect(lines <= 351, "\(file.lastPathComponent) has \(lines) lines")
    }
  }

  static func swiftFiles(in folder: String) throws -> [URL] {
    let folder = Checkout.root.appending(path: folder)
    let found = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return (found?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
  }

  static func imports(of file: URL) throws -> [String] {
    try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      guard let at = words.firstIndex(of: "import"), at < words.count - 1, at <= 1, line.first != " " else {
        return nil
      }
      return String(words[at + 1])
    }
  }
}
