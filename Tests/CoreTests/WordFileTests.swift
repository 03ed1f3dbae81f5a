import Testing

@testable import Core

@Suite("Tables of words")
struct WordFileTests {
  @Test(
    "Choices in a phrase are written out", arguments: [("(a|b) c", ["a c", "b c"]), ("(x |)y z", ["x y z", "y z"])])
  func choices(phrase: String, expected: [String]) throws {
    #expect(try WordFile("[a]\n\(phrase)", name: "x").sections["a"]?.first?.phrases == expected)
  }

  @Test("A key that means nothing, a phrase outside any table and a table said twice are refused")
  func refused() throws {
    #expect(throws: InstallationError.self) { try WordFile("monday", name: "x") }
    #expect(throws: InstallationError.self) { try WordFile("[a]\nb\n[a]\nc", name: "x") }
    let file = try WordFile("[days]\nsoon: tomorrow", name: "x")
    #expect(throws: InstallationError.self) { try file.table("days") { Int($0) } }
    #expect(throws: InstallationError.self) { try file.rows("weekdays") }
  }

  @Test("Rows go on where they are indented, and what stands behind # is not read")
  func format() throws {
    let file = try WordFile("[a] # first\nkey: one, two,\n  three # and so on\n\n-: four\nfive", name: "x")
    #expect(
      file.sections["a"] == [
        .init(key: "key", phrases: ["one", "two", "three"]), .init(key: "-", phrases: ["four"]),
        .init(key: "", phrases: ["five"]),
      ])
  }
}
