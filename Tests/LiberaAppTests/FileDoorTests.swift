import Foundation
import LiberaDoors
import LiberaKit
import LiberaScreens
import SwiftUI
import Synchronization
import TestSupport
import Testing

@testable import FileRoom
@testable import LiberaApp

/// What every door to the system's files promises.
struct FileKeepingContract: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var holds: @Sendable (any FileKeeping, _ folder: URL) throws -> Bool

  static let all = [
    FileKeepingContract(testDescription: "a folder is protected once it was asked to be, and stays so") {
      files, folder in
      guard try !files.isProtected(folder) else { return false }
      try files.protect(folder)
      try files.protect(folder)
      return try files.isProtected(folder)
    },
    FileKeepingContract(testDescription: "a folder is in backups until it is left out, and again when it is put in") {
      files, folder in
      guard try files.isInBackups(folder) else { return false }
      try files.putInBackups(folder, false)
      guard try !files.isInBackups(folder) else { return false }
      try files.putInBackups(folder, true)
      return try files.isInBackups(folder)
    },
    FileKeepingContract(testDescription: "one does not change the other, nor another folder") { files, folder in
      let other = folder.appending(path: "other")
      try FileManager.default.createDirectory(at: other, withIntermediateDirectories: false)
      try files.protect(folder)
      guard try files.isInBackups(folder) else { return false }
      try files.putInBackups(other, false)
      return try files.isProtected(folder) && files.isInBackups(folder) && !files.isProtected(other)
    },
    FileKeepingContract(testDescription: "what is not there is an error") { files, folder in
      let nothing = folder.appending(path: "nothing")
      let calls: [() throws -> Void] = [
        { try files.protect(nothing) }, { _ = try files.isProtected(nothing) },
        { try files.putInBackups(nothing, false) }, { _ = try files.isInBackups(nothing) },
      ]
      return calls.allSatisfy { call in
        do { try call() } catch { return true }
        return false
      }
    },
  ]
}

@Suite("Files, as the system keeps them", .serialized, .timeLimit(.minutes(5)))
@MainActor
struct FileDoorTests {
  init() { FileRoom.shared.state.withLock { $0 = FileRoom.State() } }

  nonisolated private static let afterFirstUnlock = FileProtectionType.completeUntilFirstUserAuthentication.rawValue

  private func path(_ home: KitHome, _ name: String = "") -> String {
    name.isEmpty ? home.home.path : home.home.appending(path: name).path
  }
  private var kept: FileRoom.State { FileRoom.shared.state.withLock(\.self) }

  @Test("Apple's file system keeps the promises of the door", arguments: FileKeepingContract.all)
  func contract(promise: FileKeepingContract) throws {
    let scratch = try Scratch("promise")
    try #expect(promise.holds(AppleFiles(), scratch.folder))
  }

  @Test("A new home is protected before anything is in it and is in no backup, until a person puts it in by the switch")
  func walk() async throws {
    let home = try KitHome(withPacks: false)
    try FileManager.default.removeItem(at: home.home)
    let isReady = path(home)
    let app = AppScreen(doors: Doors(files: AppleFiles()), folder: home.home) {
      #expect(FileRoom.shared.state.withLock { $0.protection[isReady] } == Self.afterFirstUnlock)
      return try await home.open()
    }
    let stage = Stage(AppView(app)) { $0.words = Words("en") }
    let visit = Visit(app: app, stage: stage)
    try await visit.enter()
    #expect(kept.leftOut == [path(home)])
    try stage.tap("tab.more")
    try stage.tap("more.settings")
    try await visit.until("settings.backups")
    visit.check("settings with backups")
    #expect(try stage.find("settings.backups").value == "off")
    try stage.tap("settings.backups")
    #expect(try stage.find("settings.backups").value == "on" && kept.leftOut.isEmpty)
    FileRoom.shared.state.withLock { $0.refuses = true }
    try stage.tap("settings.backups")
    #expect(stage.has("problem") && kept.leftOut.isEmpty, "\(stage.text)")
    stage.leave()
    guard case .open(let rooms) = app.stage else { return _ = Issue.record("\(app.stage)") }
    await rooms.libera.close()
    FileRoom.shared.state.withLock { $0.refuses = false }
    // Opened again it is as the person has left it.
    let again = HomeKeeping(home.home, AppleFiles())
    again.prepare()
    #expect(again.isInBackups && again.problem == nil)
  }

  @Test("What is there from before is protected too, once, and stays in the backups it was in")
  func older() throws {
    let home = try KitHome(withPacks: false)
    try FileManager.default.createDirectory(at: home.home.appending(path: "blobs"), withIntermediateDirectories: true)
    try Data("x".utf8).write(to: home.home.appending(path: "blobs/a"))
    let keeping = HomeKeeping(home.home, AppleFiles())
    keeping.prepare()
    #expect(Set(kept.protection.keys) == [path(home), path(home, "blobs"), path(home, "blobs/a")])
    #expect(keeping.isInBackups && keeping.problem == nil)
    let root = path(home)
    FileRoom.shared.state.withLock { $0.protection = [root: Self.afterFirstUnlock] }
    keeping.prepare()
    #expect(kept.protection.count == 1, "the folder says that all of it is done")
  }

  @Test("A system that refuses is told of, and the home opens all the same")
  func refused() async throws {
    FileRoom.shared.state.withLock { $0.refuses = true }
    let home = try KitHome(withPacks: false)
    let app = AppScreen(doors: Doors(files: AppleFiles()), folder: home.home) { try await home.open() }
    await app.open()
    guard case .open(let rooms) = app.stage else { return _ = Issue.record("\(app.stage)") }
    #expect(rooms.keeping?.problem != nil)
    await rooms.libera.close()
  }
}
