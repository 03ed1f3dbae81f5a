import Core
import Foundation
import Inference
import Models
import Synchronization
import Testing
import Workers

@testable import Assistant

/// Says of a card what a test has told it to, and counts how often it was asked.
private final class CardEngine: Engine {
  static let asked = Mutex(0)
  private let answer: CardAnswer?

  init(_ answer: CardAnswer?) { self.answer = answer }

  func handle(_ call: Call, _ reply: some ReplySink) throws {
    Self.asked.withLock { $0 += 1 }
    guard call.operation == "card", let answer else { throw WorkerError.unknownOperation(call.operation) }
    try reply.event(answer)
  }
}

@Suite("The graphics card, as packs know it", .serialized)
struct GraphicsCardsTests {
  private static let own = GraphicsCardReport(name: "Own", totalBytes: 8 << 30, freeBytes: 7 << 30)
  private static let shared = GraphicsCardReport(
    name: "Shared", totalBytes: 8 << 30, freeBytes: 7 << 30, sharesMemory: true)

  private func cards(_ compute: Compute, _ answer: CardAnswer?, isHere: Bool = true) throws -> GraphicsCards {
    let folder = FileManager.default.temporaryDirectory.appending(path: "libera-cards-\(UUID().uuidString)")
    try Folders.make(folder)
    let file = folder.appending(path: "settings.json")
    var settings = Settings()
    settings.compute = compute
    try settings.write(to: file)
    CardEngine.asked.withLock { $0 = 0 }
    return GraphicsCards(
      try CurrentSettings(file, nil), on: .threads { _ in CardEngine(answer) },
      ErrorLog(folder.appending(path: "errors")), isHere: isHere)
  }

  @Test("One with memory of its own is used, asked once; cpu asks none, and where none is shown nobody is asked")
  func used() async throws {
    let found = try cards(.automatic, .found(Self.own))
    #expect(found.used == nil, "nobody has asked yet")
    #expect(await found.look() == .used(Self.own))
    #expect(await found.look() == .used(Self.own))
    #expect(found.used == Self.own && found.isWanted)
    #expect(CardEngine.asked.withLock { $0 } == 1)

    let forbidden = try cards(.cpu, .found(Self.own))
    #expect(await forbidden.look() == .absent("the setting compute is cpu"))
    #expect(forbidden.used == nil && !forbidden.isWanted)
    let bare = try cards(.gpu, .found(Self.own), isHere: false)
    #expect(await bare.look() == .absent("no graphics card is here"))
    #expect(CardEngine.asked.withLock { $0 } == 0)
  }

  #if os(Linux)
    @Test("One without memory of its own is used only where a person asks for it")
    func shares() async throws {
      let automatic = try cards(.automatic, .found(Self.shared))
      #expect(await automatic.look() == .absent(Self.shared.notTaken))
      #expect(automatic.used == nil && !automatic.takesShared)
      let wanted = try cards(.gpu, .found(Self.shared))
      #expect(await wanted.look() == .used(Self.shared))
      #expect(wanted.used == Self.shared && wanted.takesShared)
    }
  #endif

  @Test("Why none is used is said as the worker says it, and a driver that fails when asked is a reason too")
  func absent() async throws {
    let without = try cards(.gpu, CardAnswer.none("no driver"))
    #expect(await without.look() == .absent("no driver"))
    let failing = try cards(.gpu, nil)
    guard case .absent(let reason) = await failing.look() else {
      Issue.record("a driver that fails is no card")
      return
    }
    #expect(reason.hasPrefix("its driver fails: "))
  }

  @Test("One that has failed is used no more, and the doctor says so with the way to leave it alone")
  func failed() async throws {
    let cards = try cards(.gpu, .found(Self.own))
    _ = await cards.look()
    await cards.fail("its driver ended")
    await cards.fail("and again")
    #expect(await cards.look() == .failed("its driver ended"))
    #expect(cards.used == nil && !cards.isWanted)
    let check = Doctor.card(await cards.look())
    #expect(check.state == .warning && check.detail.contains("its driver ended"))
    #expect(check.remedy == "libera settings set compute cpu leaves it alone for good.")
  }

  @Test("The doctor names the card with its memory, and none is no trouble")
  func doctor() {
    let check = Doctor.card(.used(Self.own))
    #expect(check.state == .ok && check.detail == "Own is used, with 7.5 GB free of 8.5 GB")
    #expect(Doctor.card(.used(Self.shared)).detail.hasSuffix(" of the memory that programs share"))
    #expect(Doctor.card(.absent("no driver")).state == .ok)
    #expect(Doctor.card(.absent("no driver")).detail == "none is used: no driver")
  }

  @Test("An answer that the processor goes on with is whole, and says and keeps why")
  func answer() async throws {
    let home = try OpenHouse()
    let model = ScriptedModel([.leavesCard(after: "Good mor", then: "ning.")])
    var notices: [String] = []
    let (record, seen) = try await TestDesk(vault: home.house.vault, model: model)
      .run(.init(question: "Hello", task: .talk)) { notices.append($0) }
    #expect(record.answer == "Good morning." && seen == record.answer && record.provider == "local")
    #expect(notices.contains(GraphicsCards.words(left: "its driver ended")), "\(notices)")
    #expect(record.limits.contains(LimitNote(what: "graphics card", value: "not used", reason: "its driver ended")))
  }
}
