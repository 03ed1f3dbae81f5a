import Testing

@testable import Core

@Suite("Names and paths of others")
struct ForeignNameTests {
  /// Signs that make one letter of themselves and a slash, before it or after it.
  private static let joiners = ["\u{200D}", "\u{301}", "\u{FE0F}", "\u{E0020}"]

  @Test("A name stays in its folder, whatever signs join its slashes", arguments: joiners)
  func joined(sign: String) {
    for name in ["../../etc/passwd", "..\\..\\passwd", "a/../passwd"] {
      let hidden = name.replacing("/", with: "/" + sign).replacing("\\", with: "\\" + sign)
      let kept = ForeignName.file(hidden)
      #expect(ForeignName.isPart(kept) && kept.hasSuffix("passwd"), "\(kept.debugDescription)")
    }
    #expect(ForeignName.parts("a/\(sign)../b") == ["a", "\(sign)..", "b"])
    #expect(ForeignName.parts("a/../\(sign)b")[1] == "..")
  }

  @Test("Of a letter that bears more marks than a name has room for a part is left, so that it is seen in a list")
  func marked() {
    let letter = "a" + String(repeating: "\u{301}", count: 120)
    for name in [letter, letter + ".txt", letter + letter, "." + letter] {
      let kept = ForeignName.file(name)
      #expect(ForeignName.isPart(kept) && kept.unicodeScalars.first == "a", "\(kept.debugDescription)")
      #expect(kept.utf8.count <= 200 && kept.hasSuffix(".txt") == name.hasSuffix(".txt"))
    }
  }

  @Test("A sign that stands before a slash hides it neither")
  func before() {
    #expect(ForeignName.parts("\u{D4E}/..") == ["\u{D4E}", ".."])
    #expect(ForeignName.file("\u{D4E}/x") == "x")
  }

  @Test(
    "What is a part of a path",
    arguments: [
      ("a", true), (".a", true), ("ä b", true), ("", false), (".", false), ("..", false), ("a/b", false),
      ("a\u{0}", false), ("a/\u{301}b", false), (String(repeating: "a", count: 256), false),
    ])
  func part(name: String, expected: Bool) { #expect(ForeignName.isPart(name) == expected) }

  @Test(
    "Whether a path lies in a folder is told by its bytes",
    arguments: [
      ("/a/b", "/a", true), ("/a", "/a", true), ("/ab", "/a", false), ("/a/\u{301}b", "/a", true), ("/x", "/", true),
      ("/caf\u{E9}/x", "/cafe\u{301}", false),
    ])
  func lies(path: String, folder: String, expected: Bool) {
    #expect(ForeignName.lies(path, in: folder) == expected)
  }
}
