import Core
import Foundation
import TestSupport
import Testing

@testable import Releases

@Suite("What a tar file may unpack to")
struct TreeArchiveTests {
  /// A member as whoever writes a tar file may write it.
  private struct Entry {
    var name: String
    var kind: Character = "0"
    var data = Data()
    var target = ""
    var mode = 0o644
    var size: Int?

    var bytes: Data {
      var header = Data(count: 512)
      func put(_ text: String, _ place: Int) {
        header.replaceSubrange(place..<place + text.utf8.count, with: Data(text.utf8))
      }
      func octal(_ value: Int, _ digits: Int) -> String {
        String(repeating: "0", count: digits - String(value, radix: 8).count) + String(value, radix: 8)
      }
      put(name, 0)
      put(octal(mode, 7), 100)
      put(octal(size ?? data.count, 11), 124)
      put("        ", 148)
      put(String(kind), 156)
      put(target, 157)
      put("ustar  ", 257)
      put(octal(header.reduce(0) { $0 + Int($1) }, 6) + "\u{0} ", 148)
      return header + data + Data(count: (512 - data.count % 512) % 512)
    }
  }

  private let scratch: Scratch
  private var folder: URL { scratch.folder }
  private var out: URL { folder.appending(path: "out", directoryHint: .notDirectory) }

  init() throws { scratch = try Scratch("tar") }

  private func unpack(_ data: Data) throws {
    let file = folder.appending(path: "archive.tar")
    try data.write(to: file)
    try TreeArchive.unpack(RegularFile(file.path), top: "top", to: out)
  }
  private func unpack(_ entries: [Entry]) throws {
    try unpack(entries.map(\.bytes).reduce(Data(), +) + Data(count: 1024))
  }

  @Test("Files, folders and links that stay inside come out as they went in; programs can be started")
  func whole() throws {
    let long = String(repeating: "n", count: 120)
    try unpack([
      Entry(name: "top/", kind: "5", mode: 0o755), Entry(name: "top/bin", kind: "5"),
      Entry(name: "top/bin/libera", kind: "2", target: "../lib/program"), Entry(name: "top/lib", kind: "5"),
      Entry(name: "top/lib/program", data: Data("program".utf8), mode: 0o755),
      Entry(name: "././@LongLink", kind: "L", data: Data("top/lib/\(long)\u{0}".utf8)),
      Entry(name: "top/lib/nnn", data: Data(repeating: 7, count: 700)),
    ])
    #expect(try Data(contentsOf: out.appending(path: "bin/libera")) == Data("program".utf8))
    #expect(try Data(contentsOf: out.appending(path: "lib/\(long)")).count == 700)
    #expect(FileManager.default.isExecutableFile(atPath: out.appending(path: "lib/program").path))
    #expect(!FileManager.default.isExecutableFile(atPath: out.appending(path: "lib/\(long)").path))
  }

  private static let top = Entry(name: "top", kind: "5")
  private static let hostile: [(String, [Entry])] = [
    ("a way out", [top, Entry(name: "top/../outside", data: Data("x".utf8))]),
    ("a whole path", [top, Entry(name: "/tmp/outside", data: Data("x".utf8))]),
    ("another folder", [top, Entry(name: "outside", kind: "5")]),
    (
      "a long name that leads out",
      [top, Entry(name: "x", kind: "L", data: Data("top/../../outside".utf8)), Entry(name: "y")]
    ),
    ("a link out", [top, Entry(name: "top/link", kind: "2", target: "../outside")]),
    (
      "a link out by the name of what lies within",
      [top, Entry(name: "top/file"), Entry(name: "top/link", kind: "2", target: "../file")]
    ),
    ("a link to a whole path", [top, Entry(name: "top/link", kind: "2", target: "/etc/passwd")]),
    ("a link to nothing", [top, Entry(name: "top/link", kind: "2", target: "absent")]),
    (
      "a link that is written through",
      [top, Entry(name: "top/link", kind: "2", target: "."), Entry(name: "top/link/outside", data: Data("x".utf8))]
    ),
    ("a hard link", [top, Entry(name: "top/file"), Entry(name: "top/hard", kind: "1", target: "/etc/passwd")]),
    ("a device", [top, Entry(name: "top/device", kind: "3")]),
    ("a pipe", [top, Entry(name: "top/pipe", kind: "6")]),
    ("a name twice", [top, Entry(name: "top/file"), Entry(name: "top/file")]),
    ("a file as a folder", [top, Entry(name: "top/file"), Entry(name: "top/file/below")]),
    ("no folder before", [top, Entry(name: "top/absent/file")]),
    ("a folder that is a link", [Entry(name: "top", kind: "2", target: "/tmp")]),
    ("an extended header", [top, Entry(name: "x", kind: "x", data: Data("20 path=../outside\n".utf8))]),
    ("more bytes than there are", [top, Entry(name: "top/file", size: 1 << 30)]),
    ("nothing", []),
  ]

  @Test("Nothing leads out of it, nothing is written through a link or over anything", arguments: hostile.map(\.0))
  func refused(what: String) throws {
    let entries = try #require(Self.hostile.first { $0.0 == what }).1
    do {
      try unpack(entries)
      Issue.record("\(what) was taken")
    } catch { #expect(RemoteError(error).code == "upgrade_refused", "\(error)") }
    #expect(Set(try FileManager.default.contentsOfDirectory(atPath: folder.path)).isSubset(of: ["archive.tar", "out"]))
  }

  @Test("What is no tar file, is damaged or ends early is refused")
  func damaged() throws {
    let sound = [Self.top, Entry(name: "top/file", data: Data(repeating: 1, count: 2000))].map(\.bytes).reduce(
      Data(), +)
    var flipped = sound
    flipped[600] ^= 1
    for data in [
      Data("not a tar file".utf8), Data(), Data(repeating: 65, count: 2048), sound, sound.prefix(1500), flipped,
    ] {
      #expect(throws: ReleaseError.self) { try unpack(data) }
      if FileManager.default.fileExists(atPath: out.path) { try FileManager.default.removeItem(at: out) }
    }
  }
}
