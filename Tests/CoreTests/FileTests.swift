import Foundation
import TestSupport
import Testing

@testable import Core

@Suite("Files that others may have put there")
struct FileTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "libera-files-\(UUID().uuidString)").path

  init() throws {
    try FileManager.default.createDirectory(atPath: folder + "/inner/deep", withIntermediateDirectories: true)
    try Data("outside".utf8).write(to: URL(filePath: folder + "/outside"))
    try Data("words".utf8).write(to: URL(filePath: folder + "/inner/deep/a.txt"))
    try FileManager.default.createSymbolicLink(atPath: folder + "/inner/out", withDestinationPath: folder)
    try FileManager.default.createSymbolicLink(atPath: folder + "/inner/leaf", withDestinationPath: "../outside")
    try FileManager.default.createSymbolicLink(atPath: folder + "/inner/deep/round", withDestinationPath: "..")
    #expect(mkfifo(folder + "/inner/pipe", 0o600) == 0)
  }

  @Test("A name of any bytes has one text, which leads back to it")
  func names() {
    let names: [[UInt8]] = [
      Array("plain.txt".utf8), Array("Grün 漢 😀.pdf".utf8), [0x47, 0x72, 0xFC, 0x6E], [0xFF, 0xFE, 0x2F, 0x80],
      Array("a\u{FFFD}fc.txt".utf8), Array("\u{FFFD}".utf8), [0xE6, 0xBC], [0xC0, 0x80], [0xED, 0xA0, 0x80], [],
      Array("a\nb\u{1B}]0;\u{202E}-".utf8), [UInt8](repeating: 0xF5, count: 255),
    ]
    var texts: Set<[UInt8]> = []
    for name in names {
      let text = FileName.text(name)
      #expect(FileName.bytes(text) == name, "\(name)")
      #expect(texts.insert(Array(text.utf8)).inserted)
    }
    #expect(FileName.text([0x47, 0x72, 0xFC, 0x6E]) == "Gr\u{FFFD}fcn")
    #expect(FileName.bytes("ends in \u{FFFD}") == Array("ends in \u{FFFD}".utf8))
  }

  @Test("Whatever is no regular file is refused by name, and opening it never waits")
  func irregular() throws {
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let path = String(folder.suffix(60)).split(separator: "/").last.map { "/tmp/\($0).sock" } ?? ""
    #expect(Sockets.bind(listener, to: URL(filePath: path)))
    defer {
      close(listener)
      unlink(path)
    }
    for (path, kind) in [
      (folder, FileError.Kind.folder), (folder + "/inner/pipe", .pipe), ("/dev/null", .device), (path, .socket),
    ] {
      #expect(throws: FileError.notAFile(path, kind)) { try RegularFile(path) }
    }
    #expect(throws: FileError.notAFile(folder + "/inner/pipe", .pipe)) { try RegularFile("inner/pipe", below: folder) }
    #expect(throws: FileError.missing(folder + "/none")) { try RegularFile(folder + "/none") }
  }

  @Test("A path that was named follows links; what was found in a folder does not, at any depth")
  func links() throws {
    #expect(try RegularFile(folder + "/inner/leaf").whole(limit: 100) == Data("outside".utf8))
    #expect(try RegularFile("inner/deep/a.txt", below: folder).whole(limit: 100) == Data("words".utf8))
    for name in ["inner/leaf", "inner/out/outside", "inner/deep/round/deep/a.txt", "inner/../outside", "inner/.."] {
      #expect(throws: FileError.self) { try RegularFile(name, below: folder) }
    }
    #expect(try RegularFile("inner/deep/a.txt", below: folder + "/inner/out").whole(limit: 100) == Data("words".utf8))
  }

  @Test("A file is read as far as it may be, however it grows")
  func bounded() throws {
    let path = folder + "/inner/deep/a.txt"
    #expect(throws: FileError.tooLarge(path, bytes: 5, limit: 4)) { try RegularFile.whole(path, limit: 4) }
    let file = try RegularFile(path)
    let more = try FileHandle(forWritingTo: URL(filePath: path))
    try more.seekToEnd()
    try more.write(contentsOf: Data(count: 100))
    #expect(throws: FileError.self) { try file.whole(limit: 50) }
  }

  @Test("A folder is walked without leaving it, without waiting, and to a bounded depth")
  func walked() throws {
    let deep = (0..<70).map { "\($0)" }.joined(separator: "/")
    try FileManager.default.createDirectory(atPath: folder + "/inner/" + deep, withIntermediateDirectories: true)
    let walk = try FolderWalk(below: folder + "/inner")
    #expect(walk.files.map(\.name) == ["deep/a.txt"] && walk.files[0].bytes == 5)
    #expect(Set(walk.leftOut.map(\.name)).isSuperset(of: ["out", "leaf", "pipe", "deep/round"]))
    #expect(walk.leftOut.contains { $0.reason.contains("64 folders deep") })
    #expect(walk.folders.count == 65)
    #expect(throws: FileError.self) { try FolderWalk(below: folder + "/inner/out") }
    #expect(throws: FileError.self) { try FolderWalk(below: folder + "/none") }
  }

  @Test("Whoever waits for a disk and is cancelled leaves at once, and the work is told")
  func leaves() async throws {
    let (told, tell) = AsyncStream.makeStream(of: Void.self)
    let waiting = Task {
      try await waitingForDisk { check -> Int in
        while true {
          do { try check() } catch {
            tell.yield()
            throw error
          }
          usleep(1000)
        }
      }
    }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    tell.yield()
    for await _ in told { break }
    #expect(try await waitingForDisk { _ in 7 } == 7)
  }
}
