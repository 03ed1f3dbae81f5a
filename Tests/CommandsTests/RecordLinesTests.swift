import Foundation
import TestSupport
import Testing

@testable import Commands

@Suite("Lines of records")
struct RecordLinesTests {
  private struct Entry: Codable, Equatable {
    var id: String
    var note = "with \"quotes\" and a } in it"
  }

  private let scratch: Scratch
  private var file: URL { scratch.folder.appending(path: "lines") }
  private var lines: RecordLines<Entry> { RecordLines(file) }

  init() throws { scratch = try Scratch("lines") }

  private func append(_ bytes: Data) throws {
    let handle = try FileHandle(forWritingTo: file)
    try handle.seekToEnd()
    try handle.write(contentsOf: bytes)
    try handle.close()
  }

  @Test("A line that a crash tore anywhere is skipped, at the end and where others were written behind it")
  func torn() throws {
    try lines.append(Entry(id: "a"))
    let whole = Data("\n".utf8) + (try JSONEncoder().encode(Entry(id: "torn")))
    for count in 1..<whole.count {
      try append(whole.prefix(count))
      #expect(try lines.all().last?.id != "torn")
      try lines.append(Entry(id: "\(count)"))
    }
    try append(Data([0x0A, 0, 0, 0]))
    #expect(try lines.all().map(\.id) == ["a"] + (1..<whole.count).map(String.init))
  }

  @Test("Pages of a line that the disk had not written when power failed are zeros anywhere in it")
  func unwritten() throws {
    try lines.append(Entry(id: "a"))
    let whole = Data("\n".utf8) + (try JSONEncoder().encode(Entry(id: "torn"))) + Data("\n".utf8)
    for start in whole.indices {
      for end in start..<whole.count {
        var left = whole
        // A newline alone may be lost without a loss of what the line says.
        guard !whole[start...end].allSatisfy({ $0 == 0x0A }) else { continue }
        left.replaceSubrange(start...end, with: Data(count: end - start + 1))
        try append(left)
      }
    }
    try lines.append(Entry(id: "b"))
    #expect(try lines.all().map(\.id) == ["a", "b"])
  }

  @Test(
    "Any other line that cannot be read is an error that names it, not a record less",
    arguments: [#"{"id":7}"#, #"{"name":"of another version"}"#, "not an object", #"{"id":"x"}}"#])
  func unreadable(line: String) throws {
    try lines.append(Entry(id: "a"))
    try append(Data((line + "\n").utf8))
    try lines.append(Entry(id: "b"))
    #expect(throws: CommandError.lineUnreadable(file.path, 3)) { try self.lines.all() }
  }

  @Test("What was read is not read again; what was added, replaced, removed or changed by another hand is seen")
  func kept() throws {
    let lines = lines
    #expect(try lines.all().isEmpty)
    try lines.append(Entry(id: "a"))
    #expect(try lines.all().map(\.id) == ["a"])
    // A line without its end counts, and counts once.
    let whole = try JSONEncoder().encode(Entry(id: "b"))
    try append(whole)
    for _ in 0..<2 { #expect(try lines.all().map(\.id) == ["a", "b"]) }
    try lines.append(Entry(id: "c"))
    #expect(try lines.all().map(\.id) == ["a", "b", "c"])
    // The file of another program that knows nothing of this one.
    try RecordLines<Entry>(file).append(Entry(id: "d"))
    #expect(try lines.all().map(\.id) == ["a", "b", "c", "d"])
    try lines.replace(with: [Entry(id: "e"), Entry(id: "f")])
    #expect(try lines.all().map(\.id) == ["e", "f"])
    // Written over in place, and longer.
    let handle = try FileHandle(forWritingTo: file)
    for id in ["g", "h", "i"] { try handle.write(contentsOf: JSONEncoder().encode(Entry(id: id)) + [0x0A]) }
    try handle.close()
    #expect(try lines.all().map(\.id) == ["g", "h", "i"])
    #expect(throws: CommandError.lineUnreadable(file.path, 4)) {
      try append(Data("{}\n{}\n".utf8))
      _ = try lines.all()
    }
    try FileManager.default.removeItem(at: file)
    #expect(try lines.all().isEmpty)
    try lines.append(Entry(id: "a"))
    #expect(try lines.all().map(\.id) == ["a"])
  }
}
