import Foundation
import LiberaDoors
import LiberaKit
import SwiftUI
import Synchronization
import Testing

@testable import BackgroundTasks
@testable import LiberaApp
@testable import LiberaScreens

@Suite("Indexing while the device lies at its charger", .serialized, .timeLimit(.minutes(10)))
@MainActor
struct NightTests {
  init() { TaskRoom.shared.state.withLock { $0 = TaskRoom.State(permitted: [ApplePowerTime.name]) } }

  private var asked: Bool { TaskRoom.shared.state.withLock { $0.requests[ApplePowerTime.name] != nil } }

  @Test(
    "Time is asked for where documents wait and a model can do something for them",
    arguments: [(0, true, false), (0, false, false), (3, true, true), (3, false, false)])
  func asks(documents: Int, hasEmbedder: Bool, asks: Bool) {
    #expect(WaitingWork(documents: documents, hasEmbedder: hasEmbedder).needsTime == asks)
  }

  @Test(
    "It is asked for again after it ran out or while it helps, and not for what comes no further",
    arguments: [
      (3, 3, WaitingWork.Ended.expired, true), (3, 1, .expired, true), (3, 0, .expired, false),
      (3, 1, .done, true), (3, 3, .done, false), (3, 0, .done, false), (3, 4, .done, false),
      (3, 2, .failed, true), (3, 3, .failed, false),
    ])
  func asksAgain(before: Int, after: Int, ended: WaitingWork.Ended, asks: Bool) {
    let (old, new) = (
      WaitingWork(documents: before, hasEmbedder: true), WaitingWork(documents: after, hasEmbedder: true)
    )
    #expect(new.needsMore(than: old, ended) == asks)
    #expect(!WaitingWork(documents: after, hasEmbedder: false).needsMore(than: old, ended))
  }

  @Test(
    "It is asked for at the charger and without a network; when it is over the work is stopped and told as unfinished")
  func adapter() async throws {
    let time = ApplePowerTime()
    time.whenGiven {
      // Until it is stopped.
      for await _ in AsyncStream<Void>(Void.self, { _ in }) {}
      return !Task.isCancelled
    }
    #expect(TaskRoom.shared.give(ApplePowerTime.name) == nil, "nobody has asked")
    try time.ask()
    try time.ask()
    #expect(
      TaskRoom.shared.state.withLock(\.requests) == [ApplePowerTime.name: .init(onPower: true, network: false)])
    let cut = try #require(TaskRoom.shared.give(ApplePowerTime.name))
    #expect(cut.outcome == nil && !asked)
    let expire = try #require(cut.expirationHandler)
    expire()
    while cut.outcome == nil { try await Task.sleep(for: .milliseconds(5)) }
    #expect(cut.outcome == false)
    try time.ask()
    time.withdraw()
    #expect(!asked)
    TaskRoom.shared.state.withLock { $0.isOff = true }
    #expect(throws: BGTaskScheduler.Error.self) { try time.ask() }
  }

  /// A home with a document that was taken in before there was a model for its meaning.
  private func homeWithWork() async throws -> KitHome {
    let home = try KitHome(withPacks: false)
    let bare = try await home.open()
    _ = try await collected(bare.import([try home.lease()]))
    try await #expect(bare.documents().map(\.isReady) == [false])
    await bare.close()
    let prepared = try #require(KitHome.preparedPacks).appending(path: "all-minilm-l6-v2-f16")
    let pack = home.home.appending(path: "packs/all-minilm-l6-v2-f16")
    try FileManager.default.createDirectory(at: pack, withIntermediateDirectories: true)
    for file in try FileManager.default.contentsOfDirectory(atPath: prepared.path) {
      try FileManager.default.linkItem(at: prepared.appending(path: file), to: pack.appending(path: file))
    }
    return home
  }

  @Test(
    "When the app leaves the screen time is asked for; what waits is indexed in it, and then nothing is asked for",
    .enabled(if: KitHome.preparedPacks != nil, KitHome.needsPacks))
  func night() async throws {
    let home = try await homeWithWork()
    try await home.during { libera in
      let visit = Visit(libera, doors: Doors(power: ApplePowerTime()))
      try await visit.until("chat.draft")
      #expect(!asked)
      visit.stage.change { $0.scenePhase = .background }
      try await visit.until { visit.stage.has("chat.draft") && asked }
      let task = try #require(TaskRoom.shared.give(ApplePowerTime.name))
      try await visit.until { task.outcome != nil }
      #expect(task.outcome == true && !asked)
      try await #expect(libera.documents().map(\.isReady) == [true])
      visit.stage.change { $0.scenePhase = .active }
      try await visit.until { visit.stage.has("chat.draft") && visit.rooms?.life.phase == .active }
      visit.stage.change { $0.scenePhase = .background }
      // The work has taken its wish back already; leaving the screen does it once more.
      try await visit.until { visit.stage.has("chat.draft") && TaskRoom.shared.state.withLock(\.withdrawn) == 2 }
      #expect(!asked, "nothing waits")
      visit.stage.leave()
    }
  }

  @Test(
    "Time that is over before the work is done leaves it as it was, and more is asked for",
    .enabled(if: KitHome.preparedPacks != nil, KitHome.needsPacks))
  func expired() async throws {
    let home = try await homeWithWork()
    try await home.during { libera in
      let time = ApplePowerTime()
      time.whenGiven { true }
      let (rooms, shift) = (Rooms(libera), NightShift(time))
      let working = Task { await shift.work(in: rooms) }
      working.cancel()
      #expect(await working.value == false && shift.problem == nil)
      #expect(asked)
      try await #expect(libera.documents().map(\.isReady) == [false])
      #expect(await shift.work(in: rooms))
      try await #expect(libera.documents().map(\.isReady) == [true] && !asked)
    }
  }

  @Test("A home that cannot be opened, and a system that gives no time, end the night with a reason")
  func failing() async throws {
    try await KitHome(withPacks: false).during { libera in
      let shift = NightShift(ApplePowerTime())
      shift.begin { throw LiberaError(code: "folder_in_use", message: "In use.") }
      try ApplePowerTime().ask()
      let task = try #require(TaskRoom.shared.give(ApplePowerTime.name))
      while task.outcome == nil { try await Task.sleep(for: .milliseconds(5)) }
      #expect(task.outcome == false && shift.problem?.code == "folder_in_use")
      let quiet = NightShift(ApplePowerTime())
      await quiet.hides(Rooms(libera))
      #expect(!asked && quiet.problem == nil, "an empty library needs no time")
    }
  }
}
