import Foundation
import TestSupport
import Testing

@testable import Core

@Suite("Folders that only their owner may change")
struct FolderCheckTests {
  private let scratch: Scratch
  private var base: URL { scratch.folder }

  init() throws { scratch = try Scratch("check") }

  private func make(_ path: String, _ mode: mode_t = 0o700) throws -> URL {
    let folder = base.appending(path: path)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try #require(chmod(folder.path, mode) == 0)
    return folder
  }

  private func refusal(_ folder: URL) -> FolderError? {
    var check = FolderCheck()
    do {
      try check.check(folder)
      return nil
    } catch { return error as? FolderError }
  }

  @Test("One of one's own passes, below the folder for passing files too", arguments: [0o700, 0o750, 0o755])
  func own(mode: Int) throws {
    let folder = try make("home", mode_t(mode))
    #expect(refusal(folder) == nil)
    #expect(refusal(folder.appending(path: "not/yet/there")) == nil)
  }

  @Test(
    "One that its group or everybody may write is refused, with the sticky bit too",
    arguments: [0o770, 0o707, 0o777, 0o720, 0o702, 0o1777])
  func writable(mode: Int) throws {
    let folder = try make("home", mode_t(mode))
    #expect(refusal(folder) == .writable(folder.path))
  }

  @Test("One below a folder that others may write is refused, unless the sticky bit keeps them from replacing it")
  func parent() throws {
    let open = try make("open", 0o777)
    let home = try make("open/home")
    #expect(refusal(home) == .writable(open.path))
    #expect(refusal(open.appending(path: "not/there")) == .writable(open.path))
    try #require(chmod(open.path, 0o1777) == 0)
    #expect(refusal(home) == nil)
  }

  @Test("A link is followed: what it leads to, and the way there, must be one's own")
  func links() throws {
    let open = try make("open", 0o777)
    let home = try make("home")
    let link = base.appending(path: "link")
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "home")
    #expect(refusal(link) == nil)
    try FileManager.default.removeItem(at: link)
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: open.path)
    #expect(refusal(link) == .writable(open.path))
    #expect(refusal(link.appending(path: "below")) == .writable(open.path))
    try FileManager.default.removeItem(at: link)
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "link")
    #expect(refusal(link) == .notOwn(link.path))
    try FileManager.default.removeItem(at: link)
    try #require(chmod(open.path, 0o700) == 0)
    #expect(refusal(home) == nil)
  }

  @Test(
    "One that belongs to somebody else is refused", .enabled(if: geteuid() == 0, "needs root, to give a folder away"))
  func others() throws {
    let home = try make("home")
    let link = base.appending(path: "link")
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "home")
    try #require(lchown(link.path, 12_345, 12_345) == 0)
    #expect(refusal(link) == .notOwn(link.path))
    try #require(chown(home.path, 12_345, 12_345) == 0)
    #expect(refusal(home) == .notOwn(home.path))
    #expect(refusal(home.appending(path: "below")) == .notOwn(home.path))
  }

  @Test(
    "What lies in a home is looked at as the home is: packs, one pack, its weights, the vault, a link that leads away",
    arguments: [
      "packs", "packs/.staging", "packs/one", "packs/one/weights.gguf", "blobs/ab", "vault.sqlite", "packs/away",
    ])
  func within(path: String) throws {
    for folder in [
      "home", "home/packs", "home/packs/.staging", "home/packs/one", "home/blobs", "home/blobs/ab", "other",
    ] {
      _ = try make(folder, 0o755)
    }
    let home = base.appending(path: "home")
    for file in ["packs/one/weights.gguf", "vault.sqlite"] {
      try Data("x".utf8).write(to: home.appending(path: file))
    }
    let (away, other) = (home.appending(path: "packs/away"), base.appending(path: "other"))
    try FileManager.default.createSymbolicLink(atPath: away.path, withDestinationPath: other.path)
    let cache = try make("cache")
    let folders = Folders(data: home, configuration: home, cache: cache)
    try folders.check()
    let place = home.appending(path: path)
    try #require(chmod(place.path, 0o777) == 0)
    #expect(throws: FolderError.writable(path == "packs/away" ? other.path : place.path)) { try folders.check() }
  }

  @Test("Where a home lets nobody in, a file in a folder of it is out of their reach")
  func unreached() throws {
    let one = try make("home/packs/one")
    let weights = one.appending(path: "weights.gguf")
    try Data("x".utf8).write(to: weights)
    try #require(chmod(weights.path, 0o666) == 0)
    let home = base.appending(path: "home")
    try Folders(data: home, configuration: home, cache: home).check()
  }
}
