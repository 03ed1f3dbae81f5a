import Testing

@testable import TextEngine

@Suite("Pieces of text")
struct TextStreamTests {
  static let text = "aé日本😀 \u{1F1E9}\u{1F1EA}Ω!"

  @Test("Cut at any byte, the pieces are whole characters and join to the same text", arguments: 0...text.utf8.count)
  func everyBoundary(cut: Int) throws {
    let bytes = Array(Self.text.utf8)
    var stream = TextStream(stops: [])
    var pieces = [stream.push(bytes[..<cut]), stream.push(bytes[cut...])]
    pieces.append(stream.finish())
    for piece in pieces { #expect(String(validating: piece, as: UTF8.self) != nil) }
    #expect(pieces.joined().elementsEqual(bytes))
  }

  @Test("Byte by byte the pieces are whole characters too")
  func byteByByte() {
    var stream = TextStream(stops: [])
    var pieces = Self.text.utf8.map { stream.push([$0]) }
    pieces.append(stream.finish())
    for piece in pieces { #expect(String(validating: piece, as: UTF8.self) != nil) }
    #expect(pieces.joined().elementsEqual(Self.text.utf8))
  }

  @Test("Bytes that are no text become visible replacements and never hold the stream up")
  func invalid() {
    var stream = TextStream(stops: [])
    let shown = stream.push([0xFF, 0x80, 0x80, 0x80, 0x80, UInt8(ascii: "a")])
    #expect(String(validating: shown, as: UTF8.self)?.hasSuffix("a") == true)
    _ = stream.push([0xE6, 0x97])
    #expect(String(decoding: stream.finish(), as: UTF8.self) == "\u{FFFD}")
  }

  @Test("A stop string is found wherever the pieces break", arguments: 0...9)
  func stopAcrossPieces(cut: Int) {
    let bytes = Array("ab<end>cd".utf8)
    var stream = TextStream(stops: ["<end>", "never"])
    let shown = stream.push(bytes[..<cut]) + stream.push(bytes[cut...]) + stream.finish()
    #expect(String(decoding: shown, as: UTF8.self) == "ab")
    #expect(stream.stop != nil)
  }

  @Test("What only began like a stop string is shown after all")
  func falseAlarm() {
    var stream = TextStream(stops: ["<end>"])
    #expect(String(decoding: stream.push("a<en".utf8), as: UTF8.self) == "a")
    #expect(String(decoding: stream.push("d of".utf8), as: UTF8.self) == "<end of")
    #expect(stream.push("<e".utf8).isEmpty)
    #expect(String(decoding: stream.finish(), as: UTF8.self) == "<e")
  }

  @Test("The earliest of several stop strings counts")
  func earliest() {
    var stream = TextStream(stops: ["later", "so"])
    #expect(String(decoding: stream.push("not so much later".utf8), as: UTF8.self) == "not ")
  }
}
