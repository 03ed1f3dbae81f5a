import Assistant
import Core
import Foundation
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
    var bounds = Bounds()
    bounds.connections = 64
    bounds.idleSeconds = 3600
    try await withDesk(bounds: bounds) { desk in
      let page = try await desk.letIn().secret
      let key = try desk.key([.embed])
      let mine = try await desk.events(as: page).wire
      var crowd: [Wire] = []
      for _ in 0..<200 {
        let wire = try Wire(port: desk.port)
        wire.send(desk.head("GET", asks ? "/api/events" : "/api/ping", ["Authorization: Bearer \(key)"], token: false))
        crowd.append(wire)
        if crowd.count % 50 == 0 {
          #expect(try await desk.ask("GET", "/api/ping", ["Authorization: Bearer \(page)"], token: false).status == 200)
        }
      }
      desk.server.events.publish(Data(#"{"heard":true}"#.utf8), from: .page(session: "x"))
      #expect(await mine.read(until: "heard").contains("heard"), "the page's own stream of events stays")
      _ = crowd.count
    }
  }

  @Test("A program that runs all that it may keeps the page from running nothing")
  func runs() async throws {
    let gate = Sample.Gate()
    var bounds = Bounds()
    bounds.runs = 2
    try await withDesk([Sample.hang(gate)], bounds: bounds) { desk in
      let (page, key) = (try await desk.letIn().secret, try desk.key([.manage]))
      func start(_ secret: String) async throws -> Int {
        try await desk.ask(
          "POST", "/api/hang", ["Authorization: Bearer \(secret)", "Prefer: respond-async"], json: "{}", token: false
        ).status
      }
      for expected in [202, 202, 429] { #expect(try await start(key) == expected) }
      for expected in [202, 202, 429] { #expect(try await start(page) == expected) }
    }
  }
}
