import Core
import Synchronization
import Testing

@testable import Assistant

@Suite("Open pages")
struct OpenPagesTests {
  enum Event {
    case heard(String, visible: Bool?)
    /// Nobody says anything; somebody looks.
    case nothing
  }

  @Test(
    "Nobody looks once there were pages and none is visible; one that falls silent is gone, one that is hidden stays",
    arguments: [
      ([], []),
      ([(0, .nothing)], [false]),
      ([(0, .heard("a", visible: true)), (44, .nothing)], [false, false]),
      ([(0, .heard("a", visible: true)), (46, .nothing)], [false, true]),
      ([(0, .heard("a", visible: true)), (30, .heard("a", visible: true)), (46, .nothing)], [false, false, false]),
      ([(0, .heard("a", visible: false)), (500, .nothing)], [true, true]),
      ([(0, .heard("a", visible: true)), (1, .heard("a", visible: nil))], [false, true]),
      ([(0, .heard("a", visible: true)), (1, .heard("b", visible: false))], [false, false]),
      (
        [(0, .heard("a", visible: true)), (1, .heard("b", visible: true)), (2, .heard("a", visible: nil))],
        [false, false, false]
      ),
      ([(0, .heard("a", visible: false)), (1, .heard("b", visible: true))], [true, false]),
      // A page that went before any was seen is none.
      ([(0, .heard("a", visible: nil))], [false]),
    ] as [([(Int, Event)], [Bool])])
  func unseen(_ events: [(Int, Event)], _ expected: [Bool]) async {
    let told = Told()
    let pages = OpenPages { told.add($0) }
    let start = ContinuousClock.now
    for (second, event) in events {
      let now = start + .seconds(second)
      switch event {
      case .heard(let page, let visible): await pages.heard(of: page, visible: visible, at: now)
      case .nothing: await pages.lookAround(at: now)
      }
    }
    #expect(told.all == expected)
  }

  @Test("However many pages say that they are hidden or go, none of them is kept")
  func hidden() async {
    let pages = OpenPages { _ in }
    for number in 0..<1000 {
      await pages.heard(of: "\(number)", visible: true)
      await pages.heard(of: "\(number)", visible: number.isMultiple(of: 2) ? false : nil)
    }
    #expect(await pages.visible.isEmpty)
  }

  @Test("However many pages say that they are visible, and whatever they call themselves, few words of them are kept")
  func crowd() async throws {
    let pages = OpenPages { _ in }
    let start = ContinuousClock.now
    for number in 0..<2000 { await pages.heard(of: "\(number)", visible: true, at: start + .milliseconds(number)) }
    #expect(await Set(pages.visible.keys) == Set((2000 - 256..<2000).map { "\($0)" }))
    let home = try OpenHouse()
    let letter = "x" + String(repeating: "\u{301}", count: 100_000)
    let page = Caller.page(session: "s")
    for try await _ in Presence.perform(.init(page: letter, visible: true), for: page, in: home.house) {}
    let known = await home.house.pages.visible.keys
    #expect(known.count == 1 && known.allSatisfy { $0.utf8.count <= 256 })
  }

  @Test("No program says for the person that nobody looks")
  func programs() async throws {
    let home = try OpenHouse()
    let program = Caller.key(id: "k", rights: Set(Right.allCases))
    await #expect(throws: CallerError.personOnly("Saying whether anybody looks")) {
      for try await _ in Presence.perform(.init(page: "p", visible: true), for: program, in: home.house) {}
    }
    #expect(await home.house.pages.visible.isEmpty)
  }

  private final class Told: Sendable {
    private let list = Mutex<[Bool]>([])
    func add(_ isUnseen: Bool) { list.withLock { $0.append(isUnseen) } }
    var all: [Bool] { list.withLock { $0 } }
  }
}
