import Foundation
import LiberaDoors
import LiberaKit
import SwiftUI
import TestSupport
import Testing

@testable import LiberaApp
@testable import LiberaScreens
@testable import LiberaShare

@Suite("Files that are shared with the app", .serialized, .timeLimit(.minutes(10)))
@MainActor
struct ShareTests {
  private let scratch: Scratch
  private var base: URL { scratch.folder }

  init() throws { scratch = try Scratch("share") }

  private func names(in folder: URL) throws -> [String] {
    FileManager.default.fileExists(atPath: folder.path)
      ? try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() : []
  }

  @Test(
    "The id that the extension puts before a name is taken off again, and nothing else is",
    arguments: [
      ("6BA7B810-9DAD-11D1-80B4-00C04FD430C8-a.pdf", "a.pdf"), ("a.pdf", "a.pdf"), ("", ""),
      ("6BA7B810-9DAD-11D1-80B4-00C04FD430C8", "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"),
      ("6BA7B810-9DAD-11D1-80B4-00C04FD430C8-", ""),
      ("6BA7B810-9DAD-11D1-80B4-00C04FD430CX-a", "6BA7B810-9DAD-11D1-80B4-00C04FD430CX-a"),
    ])
  func named(given: String, name: String) { #expect(SharedFiles.named(given) == name) }

  @Test("Only whole files of a bearable size are taken from the folder; everything else is removed and named")
  func hostile() throws {
    let (shared, place) = (base.appending(path: "Shared"), base.appending(path: "place"))
    let sharedFiles = try SharedFiles(folder: shared).move(into: place)
    #expect(sharedFiles.files.isEmpty && sharedFiles.refused.isEmpty)
    try FileManager.default.createDirectory(
      at: shared.appending(path: "b folder/in"), withIntermediateDirectories: true)
    let secret = base.appending(path: "secret.txt")
    try Data("secret".utf8).write(to: secret)
    try FileManager.default.createSymbolicLink(at: shared.appending(path: "c link"), withDestinationURL: secret)
    try FileManager.default.linkItem(at: secret, to: shared.appending(path: "d other name"))
    #expect(mkfifo(shared.appending(path: "e pipe").path, 0o600) == 0)
    try Data().write(to: shared.appending(path: "f empty"))
    try Data("x".utf8).write(to: shared.appending(path: "g large"))
    let large = try FileHandle(forWritingTo: shared.appending(path: "g large"))
    try large.truncate(atOffset: UInt64(SharedFiles.maximumBytes) + 1)
    try large.close()
    try Data("half".utf8).write(to: shared.appending(path: ".half"))
    for name in ["a good.txt", "6BA7B810-9DAD-11D1-80B4-00C04FD430C8-a good.txt", "h\u{202E}txt.exe"] {
      try Data(name.utf8).write(to: shared.appending(path: name))
    }
    let (files, refused) = try SharedFiles(folder: shared).move(into: place)
    #expect(files.count == 3 && Set(files.map(\.lastPathComponent)).count == 3)
    #expect(files.allSatisfy { $0.lastPathComponent.hasSuffix("a good.txt") || $0.lastPathComponent == "htxt.exe" })
    #expect(refused.map { $0.prefix(1) } == ["b", "c", "d", "e", "f", "g"], "\(refused)")
    try #expect(names(in: shared) == [".half"] && names(in: place).count == 3)
    try #expect(String(contentsOf: secret, encoding: .utf8) == "secret")
  }

  @Test("A folder that is a link is left alone, and more files than are taken at once wait")
  func bounds() throws {
    let (real, link) = (base.appending(path: "real"), base.appending(path: "Shared"))
    try FileManager.default.createDirectory(at: real, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: real)
    for number in 0..<(SharedFiles.most + 5) { try Data("x".utf8).write(to: real.appending(path: "\(number).txt")) }
    let place = base.appending(path: "place")
    let linkFiles = try SharedFiles(folder: link).move(into: place)
    #expect(linkFiles.files.isEmpty && linkFiles.refused.isEmpty)
    try #expect(SharedFiles(folder: real).move(into: place).files.count == SharedFiles.most)
    try #expect(names(in: real).count == 5)
  }

  @Test(
    "The extension copies what is shared and says that it is done, or why not; app and extension mean the same folder")
  func sharing() async throws {
    ShareSheet.begin(group: base)
    #expect(Doors.group == ShareInbox.group)
    #expect(Doors.shared?.standardizedFileURL.path == ShareInbox(in: base).folder.standardizedFileURL.path)
    let file = base.appending(path: "lease.txt")
    try Data("text".utf8).write(to: file)
    for (given, completed, cancelled) in [([file, file], 1, 0), ([URL?.none], 1, 1)] {
      ShareSheet.share(given)
      while ShareSheet.ended.completed + ShareSheet.ended.cancelled < completed + cancelled {
        try await Task.sleep(for: .milliseconds(5))
      }
      #expect(ShareSheet.ended == (completed, cancelled))
    }
    let left = try names(in: ShareInbox(in: base).folder)
    #expect(left.count == 2 && left.allSatisfy { SharedFiles.named($0) == "lease.txt" })
    ShareSheet.begin(group: nil)
    #expect(Doors.shared == nil, "no group, no folder")
  }

  @Test("At its start the app takes in what was shared, and the pictures of an import that ended with it")
  func atStart() async throws {
    let home = try KitHome(withPacks: false)
    try await home.during { libera in
      let (shared, place) = (home.base.appending(path: "Shared"), home.base.appending(path: "place"))
      let left = place.appending(path: "LiberaGPT.pictures")
      for folder in [shared, left] {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      }
      try FileManager.default.moveItem(at: home.lease(), to: shared.appending(path: "\(UUID().uuidString)-lease.pdf"))
      try Data("The ferry leaves at noon.".utf8).write(to: left.appending(path: "Scan.txt"))
      try Data().write(to: shared.appending(path: "nothing.txt"))
      let visit = Visit(libera, doors: Doors(place: place, shared: shared))
      try await visit.until { visit.stage.has("first.later") || visit.stage.has("chat.draft") }
      await visit.rooms?.library.settled()
      // While the first were read the shared ones waited; they are taken when somebody looks again.
      visit.stage.change { $0.scenePhase = .background }
      try await visit.until {
        _ = visit.stage.tree; return visit.rooms?.life.phase == .background
      }
      visit.stage.change { $0.scenePhase = .active }
      try await visit.until {
        _ = visit.stage.tree; return visit.rooms?.life.phase == .active
      }
      // The phase is another before what is done in it was begun.
      try await visit.until { (try? names(in: shared).isEmpty && names(in: place).isEmpty) ?? false }
      await visit.rooms?.library.settled()
      let documents = try await libera.documents()
      #expect(Set(documents.map(\.name)) == ["lease.pdf", "Scan.txt"])
      #expect(visit.rooms?.library.problem?.code == "shared_refused")
      try #expect(names(in: shared).isEmpty && names(in: place).isEmpty)
      visit.stage.leave()
    }
  }
}
