import Assistant
import Core
import Foundation
import Synchronization
import Testing

@testable import Server

@Suite("Too many connections")
struct CrowdTests {
  @Test("Where connections are too many the oldest of whoever holds most go, and never a page's")
  func leaving() {
    let (one, two) = (Caller.key(id: "1", rights: [.embed]), Caller.key(id: "2", rights: [.ask]))
    let page = Caller.page(session: "s")
    // Who holds how many lines, the first the oldest; and whose two have to go.
    let cases: [([(Caller, Int)], Caller?)] = [
      ([(.stranger, 5), (one, 3), (page, 9)], .stranger),
      ([(one, 5), (.stranger, 3), (page, 9)], one),
      ([(one, 3), (two, 5), (.stranger, 1)], two),
      ([(page, 9)], nil),
    ]
    for (held, loser) in cases {
      var (crowd, now) = ([ClientConnections.Standing](), ContinuousClock.now)
      for (caller, count) in held {
        for _ in 0..<count {
          now += .seconds(1)
          crowd.append(.init(line: ClientConnection(socket: -1), caller: caller, since: now))
        }
      }
      let left = ClientConnections.leaving(crowd.reversed(), most: 2)
      let expected = crowd.filter { $0.caller == loser }.prefix(2).map(\.line)
      #expect(left.map(ObjectIdentifier.init) == expected.map(ObjectIdentifier.init), "\(held)")
    }
  }

  @Test("A program that keeps every connection open does not keep the page out", arguments: [true, false])
  func hoarding(asks: Bool) async throws {
    try await withDesk(bounds: { ($0.connections, $0.idleSeconds) = (64, 3600) }) { desk in
      let page = try await desk.letIn().secret
      let key = try desk.key([.embed])
      let mine = try await desk.events(as: page).wire
      var crowd: [Wire] = []
      for _ in 0..<200 {
        crowd.append(try desk.send("GET", asks ? "/api/events" : "/api/ping", as: key))
        if crowd.count % 50 == 0 {
          #expect(try await desk.ask("GET", "/api/ping", as: page).status == 200)
        }
      }
      desk.server.events.publish(Data(#"{"heard":true}"#.utf8), from: .page(session: "x"))
      #expect(await mine.read(until: "heard").contains("heard"), "the page's own stream of events stays")
      _ = crowd.count
    }
  }

  @Test("A program has so many requests at once, begun, worked on or unread, and the page as many as it likes")
  func requests() async throws {
    let gate = Sample.Gate()
    // Beside everything else the one whose body does not come may have to wait for long.
    func bounds(_ bounds: inout Bounds) {
      (bounds.requests, bounds.bodySeconds, bounds.idleSeconds) = (3, 86_400, 86_400)
    }
    try await withDesk([Sample.hang(gate)], bounds: bounds) { desk in
      let (page, key) = (try await desk.letIn().secret, try desk.key([.manage]))
      func begin(_ secret: String) throws -> Wire {
        try desk.send("POST", "/api/hang", ["Content-Type: application/json", "Content-Length: 2"], as: secret)
      }
      func ping(_ secret: String) async throws -> Answer {
        try await desk.ask("GET", "/api/ping", as: secret)
      }
      // Two that are worked on, and one whose body does not come.
      let held = [try begin(key), try begin(key), try begin(key)]
      for wire in held.prefix(2) {
        wire.send("{}")
        #expect(await wire.read(until: #"{"n":0}"#).contains("200"))
      }
      while try await ping(key).status != 429 { try await Task.sleep(for: .milliseconds(20)) }
      let refused = try await ping(key)
      #expect(refused.text.contains("busy") && refused.text.contains("3 operations are running"))
      let pages = [try begin(page), try begin(page), try begin(page), try begin(page)]
      for wire in pages {
        wire.send("{}")
        #expect(await wire.read(until: #"{"n":0}"#).contains("200"))
      }
      held[0].hangUp()
      while try await ping(key).status != 200 { try await Task.sleep(for: .milliseconds(20)) }
      _ = held.count
    }
  }

  @Test("What programs send is held in memory to a bound, also where they hide how long it is")
  func bodies() async throws {
    let most = Bounds().jsonBytes
    func bounds(_ bounds: inout Bounds) {
      (bounds.requestBytes, bounds.bodySeconds, bounds.idleSeconds) = (3 * most, 86_400, 86_400)
    }
    try await withDesk([Sample.echo], bounds: bounds) { desk in
      let key = try desk.key([.manage])
      func begin(_ length: String) throws -> Wire {
        try desk.send("POST", "/api/echo", ["Content-Type: application/json", length], as: key)
      }
      let held = [
        try begin("Content-Length: \(most)"), try begin("Content-Length: \(most)"),
        try begin("Transfer-Encoding: chunked"),
      ]
      func echo() async throws -> Answer {
        try await desk.ask("POST", "/api/echo", json: "{}", as: key)
      }
      var refused = try await echo()
      while refused.status != 429 {
        try await Task.sleep(for: .milliseconds(20))
        refused = try await echo()
      }
      // One that is answered may not be over yet.
      #expect(refused.text.contains("busy") && refused.text.contains("operations are running"))
      for wire in held { wire.hangUp() }
      while try await echo().status != 200 { try await Task.sleep(for: .milliseconds(20)) }
    }
  }

  /// How many are at it, now and at most.
  private final class Busy: Sendable {
    let counts = Mutex((now: 0, most: 0))
    func enter() {
      counts.withLock {
        $0.now += 1
        $0.most = max($0.most, $0.now)
      }
    }
    func leave() { counts.withLock { $0.now -= 1 } }
  }

  @Test("Long requests of programs are taken apart one at a time, short ones and the page's beside them")
  func long() async throws {
    let (busy, gate) = (Busy(), Sample.Gate())
    let route = Route(
      "POST", "/api/long", needs: .right(.ask), body: .json(limit: 1 << 20, seconds: 60),
      .later { request in
        busy.enter()
        defer { busy.leave() }
        if case .page = request.caller { gate.open() } else if request.body.count > 1000 { await gate.passed() }
        return .json(["size": request.body.count])
      })
    try await withDesk(routes: [route]) { desk in
      let (page, key) = (try await desk.letIn().secret, try desk.key([.ask]))
      let long = "[\"\(String(repeating: "x", count: 300_000))\"]"
      @Sendable func ask(_ secret: String, _ json: String) async throws -> Int {
        try await desk.ask("POST", "/api/long", json: json, as: secret).status
      }
      let first = Task { try await ask(key, long) }
      while busy.counts.withLock({ $0.now }) == 0 { try await Task.sleep(for: .milliseconds(5)) }
      let others = (0..<4).map { _ in Task { try await ask(key, long) } }
      #expect(try await ask(key, "{}") == 200)
      #expect(busy.counts.withLock { $0.most } == 2, "one long and the short one")
      for _ in 0..<5 { #expect(try await ask(page, long) == 200) }
      for one in [first] + others { #expect(try await one.value == 200) }
      #expect(busy.counts.withLock { $0.most } <= 3)
    }
  }

  @Test("A program that runs all that it may keeps the page from running nothing")
  func runs() async throws {
    let gate = Sample.Gate()
    try await withDesk([Sample.hang(gate)], bounds: { $0.runs = 2 }) { desk in
      let (page, key) = (try await desk.letIn().secret, try desk.key([.manage]))
      func start(_ secret: String) async throws -> Int {
        try await desk.ask("POST", "/api/hang", ["Prefer: respond-async"], json: "{}", as: secret).status
      }
      for expected in [202, 202, 429] { #expect(try await start(key) == expected) }
      for expected in [202, 202, 429] { #expect(try await start(page) == expected) }
    }
  }
}
