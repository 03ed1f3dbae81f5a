import Foundation
import Testing

@testable import Core

@Suite("The error log")
struct ErrorLogTests {
  let file = FileManager.default.temporaryDirectory.appending(path: "log-\(UUID().uuidString)/errors.jsonl")

  @Test("It keeps what failed and where, in order")
  func keeps() async throws {
    let log = ErrorLog(file)
    try await log.record(RemoteError(code: "one", message: "First."), in: "models")
    try await log.record(RemoteError(code: "two", message: "Second."), in: "vault")
    #expect(try await ErrorLog(file).entries().map(\.code) == ["one", "two"])
  }

  @Test("It holds 2,000 entries and forgets the oldest")
  func bounded() async throws {
    let log = ErrorLog(file)
    for number in 0..<4_300 { try await log.record(RemoteError(code: "\(number)", message: "x"), in: "test") }
    let entries = try await log.entries()
    #expect(entries.count == ErrorLog.capacity)
    #expect(entries.last?.code == "4299")
    #expect(try Data(contentsOf: file).count < ErrorLog.capacity * 2 * 120)
  }

  @Test(
    "What a person wrote and where their files lie never enters it",
    arguments: [
      ("The document \"secret plan\" cannot be read.", "The document \"…\" cannot be read."),
      ("/home/me/secret.pdf is encrypted.", "<path> is encrypted."),
      ("Cannot open (/home/me/secret), sorry.", "Cannot open (<path>), sorry."),
      ("“secret” and 'secret' and \"secret", "“…” and '…' and \"…\""),
      ("me@example.org wrote 123456 to https://example.org/x?y=z", "<address> wrote <number> to <link>"),
      // Of what is long the beginning: the rules would take hours over the rest.
      ("There is no document “”\(String(repeating: "a", count: 5000))”.", "There is no document"),
      (String(repeating: "a", count: 5000), ""),
      ("It's 5 of 7 pages/s", "It's 5 of 7 pages/s"),
    ])
  func redacts(message: String, redacted: String) {
    #expect(Redaction.redacted(message) == redacted)
  }

  @Test("A torn line is skipped and the rest is read; clearing leaves nothing")
  func tornAndCleared() async throws {
    let log = ErrorLog(file)
    try await log.record(RemoteError(code: "kept", message: "x"), in: "test")
    let handle = try FileHandle(forWritingTo: file)
    try handle.seekToEnd()
    try handle.write(contentsOf: Data("{\"time\": \n".utf8))
    try await log.record(RemoteError(code: "after", message: "x"), in: "test")
    #expect(try await log.entries().map(\.code) == ["kept", "after"])
    try await log.clear()
    #expect(try await log.entries().isEmpty)
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }
}
