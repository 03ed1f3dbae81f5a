import Core
import Foundation
import Testing

@testable import Server

@Suite("Models under other names, and models that go, as Ollama's clients ask for it")
struct OllamaNamesTests {
  private func withNames(_ body: (Desk, SampleNames) async throws -> Void) async throws {
    let names = SampleNames()
    try await withPrograms(names: names) { desk in try await body(desk, names) }
  }

  private func copy(_ desk: Desk, _ old: String, _ new: String) async throws -> Answer {
    try await desk.ask("POST", "/api/copy", json: #"{"source":"\#(old)","destination":"\#(new)"}"#)
  }

  private func delete(_ desk: Desk, _ name: String) async throws -> Answer {
    try await desk.ask("DELETE", "/api/delete", json: #"{"model":"\#(name)"}"#)
  }

  @Test("A copy is another name for the pack, also of a copy, and moves when it is made again")
  func copies() async throws {
    try await withNames { desk, names in
      names.set(["away=not-installed"])
      let first = try await copy(desk, "sample-chat:latest", "gpt-4o:latest")
      #expect(first.status == 200)
      #expect(names.aliases == ["away=not-installed", "gpt-4o=sample-chat"])
      #expect(try await copy(desk, "gpt-4o", "other").status == 200)
      #expect(names.aliases.last == "other=sample-chat")
      #expect(try await copy(desk, "sample-embed", "other").status == 200)
      #expect(names.aliases == ["away=not-installed", "gpt-4o=sample-chat", "other=sample-embed"])
      #expect(try await copy(desk, "sample-chat", "sample-chat").status == 200)
      #expect(names.aliases.count == 3)
      #expect(try await desk.ask("POST", "/api/show", json: #"{"model":"gpt-4o"}"#).status == 200)
    }
  }

  @Test(
    "What cannot be copied is refused, and nothing is changed",
    arguments: [
      ("none", "x", 404), ("libera", "x", 404), ("sample-chat", "libera", 400), ("sample-chat", "sample-embed", 400),
      ("sample-chat", "../x", 400), ("sample-chat", "a b", 400), ("sample-chat", "a=b", 400), ("sample-chat", "", 400),
    ])
  func refused(old: String, new: String, status: Int) async throws {
    try await withNames { desk, names in
      let answer = try await copy(desk, old, new)
      #expect(answer.status == status, "\(answer.text)")
      #expect(names.aliases.isEmpty)
      #expect(try await desk.ask("POST", "/api/copy", json: "{}").status == 400)
    }
  }

  @Test("What is deleted is a name, or the pack where it has no other")
  func deletes() async throws {
    try await withNames { desk, names in
      _ = try await copy(desk, "sample-chat", "gpt-4o")
      names.set(names.aliases + ["away=not-installed"])
      let named = try await delete(desk, "sample-chat")
      #expect(named.status == 400 && named.text.contains("gpt-4o"))
      #expect(try await delete(desk, "gpt-4o:latest").status == 200)
      #expect(try await delete(desk, "away").status == 200)
      #expect(names.aliases.isEmpty && names.removed.isEmpty)
      #expect(try await delete(desk, "sample-chat").status == 200)
      #expect(names.removed == ["sample-chat"])
      #expect(try await delete(desk, "sample-chat").status == 404)
      #expect(try await delete(desk, "none").status == 404)
      #expect(try await delete(desk, "libera").status == 400)
      #expect(try await desk.ask("DELETE", "/api/delete", json: "{}").status == 400)
      #expect(names.removed == ["sample-chat"])
    }
  }

  @Test("Neither is for a key without the right to manage")
  func rights() async throws {
    try await withNames { desk, names in
      let key = try desk.key([.ask, .embed, .act, .transcribe])
      let copied = #"{"source":"sample-chat","destination":"x"}"#
      #expect(try await desk.ask("POST", "/api/copy", json: copied, as: key).status == 403)
      let deleted = try await desk.ask("DELETE", "/api/delete", json: #"{"model":"sample-chat"}"#, as: key)
      #expect(deleted.status == 403 && names.removed.isEmpty && names.aliases.isEmpty)
    }
  }
}
