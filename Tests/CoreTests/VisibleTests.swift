import Foundation
import Testing

@testable import Core

@Suite("Text of others where characters give orders")
struct VisibleTests {
  static let clipboard = "\u{1B}]52;c;cm0gLXJmIH4=\u{07}"

  @Test("Orders to a terminal become signs, and words stay what they are")
  func shown() {
    #expect(Visible.text(Self.clipboard) == "␛]52;c;cm0gLXJmIH4=␇")
    #expect(Visible.text("a\u{9B}31mb\u{9D}52;c;x\u{9C}") == "a⟨U+009B⟩31mb⟨U+009D⟩52;c;x⟨U+009C⟩")
    #expect(Visible.text("a\r\nb\rc\td\u{7F}\u{8}") == "a\nb␍c\td␡␈")
    #expect(
      Visible.text("user\u{202E}fdp.exe\u{2066}\u{E0041}\u{2028}") == "user⟨U+202E⟩fdp.exe⟨U+2066⟩⟨U+E0041⟩⟨U+2028⟩")
    for plain in ["Grün — 漢字 ✓", "👩‍👩‍👧", "مرحبا بكم", "שלום\u{200F}", "a\nb\tc", ""] {
      #expect(Visible.text(plain) == plain)
    }
    #expect(Visible.line("a\nb\tc") == "a␊b c")
  }

  @Test("JSON for machines holds no character that a terminal obeys, and says the same")
  func json() throws {
    let text = Self.clipboard + "\u{9B}\u{2028}\u{202E}\u{E0041}\u{7F} 👩‍👧 ü"
    let line = try JSON.line([text])
    #expect(!line.unicodeScalars.contains(where: Visible.isHidden))
    #expect(try JSON.decode([String].self, from: Data(line.utf8)) == [text])
    #expect(line.contains("👩‍👧 ü"))
  }

  @Test("The error log keeps signs instead of orders")
  func log() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "libera-log-\(UUID().uuidString)")
    let log = ErrorLog(file)
    try await log.record(RemoteError(code: "x", message: "It failed \(Self.clipboard) twice"), in: "test")
    let message = try #require(try await log.entries().first?.message)
    #expect(message.contains("␛]52") && !message.unicodeScalars.contains(where: Visible.isHidden))
    try FileManager.default.removeItem(at: file)
  }
}
