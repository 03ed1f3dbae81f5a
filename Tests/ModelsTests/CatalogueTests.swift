import Core
import Foundation
import TestSupport
import Testing

@testable import Models

@Suite("The catalogue")
struct CatalogueTests {
  static let file = Checkout.root.appending(path: "Packs/catalogue.json")

  private static let tiny = """
    {"packs": [{"id": "tiny", "version": 1, "name": "T", "kind": "chat", "family": "t", "parameters": 1,
    "quantization": "F32", "bytes": 5, "hash": "catalogue", "sha256": "\(String(repeating: "a", count: 64))",
    "licence": "MIT", "context": 8, "default": false, "sources": [{"name": "s", "files": [{"name": "w", "bytes": 5,
    "parts": [{"url": "https://h/f", "bytes": 5}]}]}]}]}
    """

  @Test("It decodes, has a default chat pack and embedder, and names every kind")
  func decodes() throws {
    let catalogue = try Catalogue(at: Self.file)
    #expect(Set(catalogue.packs.filter(\.isDefault).map(\.kind)) == [.chat, .embed])
    #expect(Set(catalogue.packs.map(\.kind)) == Set(Pack.Kind.allCases))
    let families = Dictionary(grouping: catalogue.packs, by: \.family)
    #expect(families.values.contains { Set($0.map(\.quantization)).isSuperset(of: ["Q4_K_M", "Q5_K_M"]) })
  }

  @Test("Joined and unconverted files are as large as the pack they become, and carry its hash")
  func consistent() throws {
    for pack in try Catalogue(at: Self.file).packs {
      for source in pack.sources where source.convert == nil {
        #expect(source.files[0].bytes == pack.bytes, "\(pack.id)")
        if let hash = source.files[0].sha256 { #expect(hash == pack.sha256, "\(pack.id)") }
      }
    }
  }

  @Test("What is fetched is said with a pack: an archive whole and once, however many of its members count")
  func fetched() throws {
    let pack = try #require(try Catalogue(at: Self.file).packs.first { $0.id == "use-multilingual-3-q6" })
    let parts = pack.sources[0].files.flatMap(\.parts)
    #expect(parts.count == 2)
    let status = PackStatus(
      pack: pack, sha256: nil, installed: nil, verified: false, upgradable: false,
      fit: Fit(fits: true, context: 1, footprintBytes: 0, reason: ""))
    #expect(status.fetchBytes == parts[0].bytes)
    #expect(try JSON.decode(PackStatus.self, from: JSON.encode(status)).fetchBytes == parts[0].bytes)
  }

  @Test("Every form there is occurs in it, and what it is made of is named; an installed pack of 0.1.0 named a script")
  func forms() throws {
    let sources = try Catalogue(at: Self.file).packs.flatMap(\.sources).filter { $0.convert != nil }
    #expect(Set(sources.compactMap { $0.convert?.form }) == Set(Pack.Form.allCases))
    let old = #"{"script": "bert_to_gguf.py", "arguments": ["weights", "=MiniLM", "out"]}"#
    #expect(try JSON.decode(Pack.Conversion.self, from: Data(old.utf8)).form == nil)
    for convert in [old, #"{"form": "whisper"}"#] {
      let text = Self.tiny.replacingOccurrences(of: #""name": "s","#, with: #""name": "s", "convert": \#(convert),"#)
      #expect(throws: PackError.self) { try Catalogue(from: Data(text.utf8)) }
    }
    #expect(throws: PackError.self) {
      try Catalogue(
        from: Data(
          Self.tiny.replacingOccurrences(of: #""name": "s","#, with: #""name": "s", "convert": {"form": "magic"},"#)
            .utf8))
    }
  }

  @Test(
    "A catalogue with a fault is refused, and the fault is named",
    arguments: [
      (#""id": "tiny""#, #""id": "../tiny""#, "pack name"),
      (#""bytes": 5"#, #""bytes": 0"#, "not positive"),
      (#""hash": "catalogue""#, #""hash": "from-publisher""#, "SHA-256"),
      (String(repeating: "a", count: 64), "invented", "SHA-256"),
      (#""url": "https://h/f""#, #""member": "f""#, "address"),
      (#""kind": "chat""#, #""kind": "oracle""#, "oracle"),
      (#""packs""#, #""Packs""#, "packs"),
    ])
  func faults(good: String, bad: String, named: String) throws {
    let text = Self.tiny
    #expect(try Catalogue(from: Data(text.utf8)).packs.count == 1)
    let broken = text.replacingOccurrences(of: good, with: bad)
    #expect { try Catalogue(from: Data(broken.utf8)) } throws: { error in
      (error as? PackError)?.message.contains(named) == true
    }
  }
}
