import Synchronization
import Testing

@testable import Assistant

@Suite("Claims")
struct ClaimsTests {
  private final class Room: Sendable {
    private let seen = Mutex((inside: 0, most: 0, left: 0))
    var most: Int { seen.withLock { $0.most } }
    var left: Int { seen.withLock { $0.left } }

    func enter() {
      seen.withLock {
        $0.inside += 1
        $0.most = max($0.most, $0.inside)
      }
    }

    func leave() {
      seen.withLock {
        $0.inside -= 1
        $0.left += 1
      }
    }
  }

  @Test("One task at a time holds a thing, and all of them get it")
  func oneAtATime() async throws {
    let claims = Claims()
    let room = Room()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<50 {
        group.addTask {
          try await claims.hold("pack")
          defer { claims.release("pack") }
          room.enter()
          await Task.yield()
          room.leave()
        }
      }
      try await group.waitForAll()
    }
    #expect(room.most == 1)
    #expect(room.left == 50)
  }

  @Test("Another thing is not waited for, and whoever is cancelled stops waiting")
  func apart() async throws {
    let claims = Claims()
    try await claims.hold("one")
    try await claims.hold("two")
    let waiting = Task { try await claims.hold("one") }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    claims.release("one")
    try await claims.hold("one")
    claims.release("one")
    claims.release("two")
  }
}
