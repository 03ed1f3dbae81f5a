import Assistant
import Core
import Foundation
import Synchronization
import Testing

@testable import Server

@Suite("Operations and their events")
struct EventTests {
  @Test("An operation answers with one JSON line per event, or as server-sent events")
  func direct() async throws {
    try await withDesk([Sample.count, Sample.echo]) { desk in
      let lines = try await desk.ask("POST", "/api/count", json: #"{"count":3}"#)
      #expect(lines.headers["content-type"] == "application/x-ndjson")
      #expect(lines.text == "{\"n\":0}\n{\"n\":1}\n{\"n\":2}\n")
      let events = try await desk.ask("POST", "/api/count", ["Accept: text/event-stream"], json: #"{"count":2}"#)
      #expect(events.text == "data: {\"n\":0}\n\ndata: {\"n\":1}\n\n")
      #expect(try await desk.ask("POST", "/api/count", json: #"{"count":0}"#).text == "")
      let many = try await desk.ask("POST", "/api/count", json: #"{"count":50000}"#)
      #expect(many.text.split(separator: "\n").count == 50000)
      let long = String(repeating: "a", count: 600_000)
      #expect(try await desk.ask("POST", "/api/echo", json: "{\"long\":\"\(long)\"}").text.contains(long))
    }
  }

  @Test("What fails at once has a status and an explanation; what fails later says so in its last line")
  func failures() async throws {
    try await withDesk([Sample.fail, Sample.failLater, Sample.count]) { desk in
      let early = try await desk.ask("POST", "/api/fail", json: "{}")
      #expect(early.status == 422 && early.code == "sample_failed")
      let late = try await desk.ask("POST", "/api/fail-later", json: "{}")
      #expect(late.status == 200 && late.text.hasPrefix("{\"n\":0}\n{\"error\":{\"code\":\"sample_failed\""))
      for (input, words) in [("{", "valid JSON"), ("{}", "count"), (#"{"count":"x"}"#, "another type")] {
        let answer = try await desk.ask("POST", "/api/count", json: input)
        #expect(answer.status == 400 && answer.code == "input_unreadable" && answer.text.contains(words), "\(input)")
      }
    }
  }

  @Test("Closing the connection ends an operation that streams over it")
  func hangUp() async throws {
    let gate = Sample.Gate()
    try await withDesk([Sample.hang(gate)]) { desk in
      let wire = try desk.send("POST", "/api/hang", json: "{}")
      _ = await wire.read(until: "{\"n\":0}")
      wire.hangUp()
      await gate.passed()
    }
  }

  @Test("A detached operation goes on without its page, and a page that comes back gets every event it missed")
  func resume() async throws {
    try await withDesk([Sample.count]) { desk in
      let (wire, _) = try await desk.events()
      let started = try await desk.ask(
        "POST", "/api/count", ["Prefer: respond-async", "Idempotency-Key: run-00001"], json: #"{"count":5}"#)
      #expect(started.status == 202 && started.text == #"{"operation":"run-00001"}"#)
      let live = await wire.read(until: #""ended":"done""#)
      wire.hangUp()
      #expect(live.contains(#"{"operation":"run-00001","name":"count","index":4,"event":{"n":4}}"#))
      let second = try #require(
        live.split(whereSeparator: \.isNewline).last { $0.hasPrefix("id: ") && $0.hasSuffix("-3") })
      let back = try await desk.events(after: String(second.dropFirst(4)))
      let missed = back.start + (back.start.contains("ended") ? "" : await back.wire.read(until: #""ended":"done""#))
      #expect(!missed.contains(#"{"n":1}"#) && missed.contains(#"{"n":2}"#) && missed.contains(#"{"n":4}"#))
      #expect(!missed.contains("event: missed"))
      let kept = try await desk.ask("GET", "/api/operations/run-00001")
      #expect(
        kept.text.contains(#""state":"done""#) && kept.text.contains(#"[{"n":0},{"n":1},{"n":2},{"n":3},{"n":4}]"#))
    }
  }

  @Test("A repeated start with the same id is the same run")
  func idempotent() async throws {
    let runs = Mutex(0)
    let once = Service("once", needs: .manage) { _ in
      runs.withLock { $0 += 1 }
      return AsyncThrowingStream { $0.finish() }
    }
    try await withDesk([once]) { desk in
      for _ in 0..<3 {
        let headers = ["Prefer: respond-async", "Idempotency-Key: same-same"]
        #expect(try await desk.ask("POST", "/api/once", headers, json: "{}").status == 202)
      }
      #expect(runs.withLock { $0 } == 1)
      let bad = try await desk.ask("POST", "/api/once", ["Prefer: respond-async", "Idempotency-Key: a\"b"], json: "{}")
      #expect(bad.code == "bad_operation_id")
    }
  }

  @Test("A detached operation can be cancelled and says so; too many at once are refused")
  func cancel() async throws {
    let gate = Sample.Gate()
    try await withDesk([Sample.hang(gate), Sample.fail], bounds: { $0.runs = 1 }) { desk in
      let (wire, _) = try await desk.events()
      let headers = ["Prefer: respond-async", "Idempotency-Key: to-cancel"]
      #expect(try await desk.ask("POST", "/api/hang", headers, json: "{}").status == 202)
      _ = await wire.read(until: "{\"n\":0}")
      let second = try await desk.ask("POST", "/api/hang", ["Prefer: respond-async"], json: "{}")
      #expect(second.status == 429 && second.code == "busy")
      #expect(try await desk.ask("DELETE", "/api/operations/to-cancel").status == 202)
      await gate.passed()
      #expect(await wire.read(until: "ended").contains(#""ended":"cancelled"}"#))
      #expect(try await desk.ask("DELETE", "/api/operations/unknown-id").status == 404)
      #expect(try await desk.ask("GET", "/api/operations").text.contains(#""state":"cancelled""#))
      _ = try await desk.ask("POST", "/api/fail", ["Prefer: respond-async"], json: "{}")
      #expect(await wire.read(until: #""ended":"failed","error":{"code":"sample_failed""#).contains("failed"))
    }
  }

  @Test("Once something was destroyed, no earlier operation tells of it any more")
  func destroyed() async throws {
    let gate = Sample.Gate()
    try await withDesk([Sample.echo, Sample.hang(gate)]) { desk in
      let secret = #"{"text":"xylophonquark"}"#
      for id in ["first-run", "second-run"] {
        _ = try await desk.ask("POST", "/api/echo", ["Prefer: respond-async", "Idempotency-Key: \(id)"], json: secret)
      }
      _ = try await desk.ask(
        "POST", "/api/hang", ["Prefer: respond-async", "Idempotency-Key: running-one"], json: "{}")
      while try await !desk.ask("GET", "/api/operations/second-run").text.contains(#""state":"done""#) {
        try await Task.sleep(for: .milliseconds(20))
      }
      let epoch = desk.server.events.epoch
      let before = try await desk.events(after: "\(epoch)-0")
      let all = before.start + (before.start.contains("second-run") ? "" : await before.wire.read(until: "second-run"))
      #expect(all.contains("xylophonquark"))
      while try await !desk.ask("GET", "/api/operations/running-one").text.contains(#"[{"n":0}]"#) {
        try await Task.sleep(for: .milliseconds(20))
      }
      await desk.server.forget()
      let running = try await desk.ask("GET", "/api/operations/running-one").text
      #expect(running.contains(#""events_dropped":1"#) && running.contains(#""events":[]"#), "\(running)")
      #expect(try await desk.ask("GET", "/api/operations/first-run").status == 404)
      let known = try await desk.ask("GET", "/api/operations").text
      #expect(known.contains("running-one") && !known.contains("first-run"))
      let (wire, start) = try await desk.events(after: "\(epoch)-0")
      _ = try await desk.ask("POST", "/api/echo", ["Prefer: respond-async"], json: #"{"later":true}"#)
      let told = start + (await wire.read(until: "later"))
      #expect(told.contains("event: missed") && !told.contains("xylophonquark"))
      _ = try await desk.ask("DELETE", "/api/operations/running-one")
      await gate.passed()
    }
  }

  @Test("A reader that the ring has passed, or that comes from an earlier run, is told that it missed something")
  func missed() async throws {
    try await withDesk([Sample.count], bounds: { $0.ringEvents = 8 }) { desk in
      let epoch = desk.server.events.epoch
      let reader = try #require(try desk.server.access.keys.caller(desk.token))
      for number in 0..<20 { desk.server.events.publish(Data("{\"x\":\(number)}".utf8), from: reader) }
      let behind = try await desk.events(after: "\(epoch)-2")
      let text = behind.start + (behind.start.contains("\"x\":19") ? "" : await behind.wire.read(until: "\"x\":19"))
      #expect(text.contains("event: missed") && !text.contains("\"x\":11}") && text.contains("\"x\":12}"))
      for id in ["other-3", "\(epoch)-99", "nonsense", "\(epoch)-"] {
        let (wire, start) = try await desk.events(after: id)
        #expect(start.contains("event: missed") ? true : await wire.read(until: "event: missed").contains("missed"))
      }
    }
  }

  @Test("The ring keeps within its bytes and gives frames in order")
  func ring() {
    let ring = EventRing(events: 100, bytes: 2000)
    for number in 0..<500 {
      ring.publish(
        Data("{\"n\":\(number),\"pad\":\"\(String(repeating: "p", count: number % 90))\"}".utf8), from: .stranger)
    }
    var place = EventRing.Place(next: 1)
    var buffer = [UInt8](repeating: 0, count: 4096)
    func read() -> EventRing.Reading {
      buffer.withUnsafeMutableBytes { ring.read(from: &place, into: $0, for: .page(session: "s")) }
    }
    #expect(read() == .missed)
    guard case .bytes(let count) = read() else { return #expect(Bool(false), "there are frames") }
    let text = String(decoding: buffer.prefix(count), as: UTF8.self)
    #expect(text.replacing(/id: \S+\n/, with: "").utf8.count <= 2000 && place.next == 501)
    let numbers = text.components(separatedBy: "{\"n\":").dropFirst()
      .compactMap { Int($0.prefix { $0.isNumber }) }
    #expect(numbers == Array((500 - numbers.count)..<500))
  }

  @Test("The ids of what a program is told do not tell how much others are told")
  func ids() {
    let ring = EventRing(events: 8, bytes: 1 << 20)
    let (one, page) = (Caller.key(id: "1", rights: [.ask]), Caller.page(session: "s"))
    func told(_ reader: Caller, after id: UInt64) -> (text: String, missed: Bool) {
      let (next, isMissed) = ring.place(after: "\(ring.epoch)-\(id)", for: reader)
      var place = EventRing.Place(next: next)
      var buffer = [UInt8](repeating: 0, count: 4096)
      let reading = buffer.withUnsafeMutableBytes { ring.read(from: &place, into: $0, for: reader) }
      guard case .bytes(let count) = reading else { return ("", isMissed) }
      return (String(decoding: buffer.prefix(count), as: UTF8.self).replacing(ring.epoch, with: "e"), isMissed)
    }
    for (number, owner) in [one, page, page, page, one].enumerated() {
      ring.publish(Data("\(number)".utf8), from: owner)
    }
    #expect(told(one, after: 0) == ("id: e-1\ndata: 0\n\nid: e-2\ndata: 4\n\n", false))
    #expect(told(one, after: 1) == ("id: e-2\ndata: 4\n\n", false))
    #expect(told(one, after: 2) == ("", false) && told(one, after: 3) == ("", true))
    #expect(told(page, after: 3) == ("id: e-4\ndata: 3\n\nid: e-5\ndata: 4\n\n", false))
    for _ in 0..<4 { ring.publish(Data("5".utf8), from: page) }
    #expect(told(one, after: 0) == ("id: e-2\ndata: 4\n\n", true) && told(one, after: 1).missed == false)
    for _ in 0..<8 { ring.publish(Data("6".utf8), from: page) }
    #expect(told(one, after: 1) == ("", true) && told(one, after: 2) == ("", false))
  }

  @Test("An event wakes whoever may see it: what the page does costs nothing for each stream that a program holds")
  func woken() {
    let ring = EventRing(events: 100, bytes: 1 << 20)
    let (one, other) = (Caller.key(id: "1", rights: [.ask]), Caller.key(id: "2", rights: [.ask]))
    let page = Caller.page(session: "s")
    let woken = Mutex<[String: Int]>([:])
    var feeds: [EventFeed] = []
    for (name, reader) in [("one", one), ("other", other), ("page", page)] {
      let feed = EventFeed(ring, after: nil, for: reader)
      feed.attach { woken.withLock { $0[name, default: 0] += 1 } }
      var buffer = [UInt8](repeating: 0, count: 4096)
      buffer.withUnsafeMutableBytes { _ = feed.read(into: $0) }
      feeds.append(feed)
    }
    for owner in [page, one, page] { ring.publish(Data("{}".utf8), from: owner) }
    #expect(woken.withLock { $0 } == ["one": 1, "page": 3])
    #expect(feeds.map(\.owes) == [true, false, true])
    ring.beat()
    #expect(woken.withLock { $0 } == ["one": 2, "other": 1, "page": 4])
    for feed in feeds { feed.close() }
  }

  @Test("Idle event streams hold no thread, hear the heartbeat, and are forgotten when their browser goes")
  func idleStreams() async throws {
    try await withDesk([Sample.echo], bounds: { $0.heartbeatSeconds = 1 }) { desk in
      var crowd: [Wire] = []
      for _ in 0..<200 { crowd.append(try await desk.events().wire) }
      #expect(desk.server.events.listenerCount == 200)
      #expect(await crowd[0].read(until: ": \n\n").contains(": \n\n"))
      _ = try await desk.ask("POST", "/api/echo", ["Prefer: respond-async"], json: #"{"heard":true}"#)
      for wire in crowd { #expect(await wire.read(until: "heard").contains("heard")) }
      for wire in crowd { wire.hangUp() }
      while desk.server.events.listenerCount > 0 { try await Task.sleep(for: .milliseconds(50)) }
    }
  }

  @Test("An operation waits for a reader that does not read")
  func backPressure() async throws {
    let made = Mutex(0)
    let flood = Service("flood", needs: .manage) { _ in
      AsyncThrowingStream(unfolding: {
        made.withLock { $0 += 1 }
        return Data("\"\(String(repeating: "z", count: 65536))\"".utf8)
      })
    }
    try await withDesk([flood]) { desk in
      let wire = try desk.send("POST", "/api/flood", json: "{}")
      var last = -1
      while made.withLock({ $0 }) != last {
        last = made.withLock { $0 }
        try await Task.sleep(for: .milliseconds(300))
      }
      #expect(last < 1000, "\(last) events of 64 KiB were made for nobody")
      wire.hangUp()
    }
  }

  @Test("A server that ends gives everybody the rest of what was made for them first, however slowly they read")
  func finish() async throws {
    let words = Service("words", needs: .manage) { _ in
      AsyncThrowingStream { continuation in
        for number in 0..<40 { continuation.yield(Data("\"\(number) \(String(repeating: "z", count: 65536))\"".utf8)) }
        continuation.yield(Data("\"last words\"".utf8))
        continuation.finish()
      }
    }
    let desk = try Desk([words])
    let page = try await desk.events()
    let asking = try desk.send("POST", "/api/words", json: "{}")
    _ = try await desk.ask("POST", "/api/words", ["Prefer: respond-async"], json: "{}")
    #expect(await asking.read(until: "\"0 z").contains("\"0 z"))
    let finishing = Task { try await desk.server.finish(by: .now + .seconds(600)) }
    try await Task.sleep(for: .milliseconds(300))
    async let answer = asking.read(until: "last words")
    async let told = page.wire.read(until: "\"ended\":\"done\"")
    try await finishing.value
    await desk.close()
    #expect(await answer.contains("last words"))
    #expect(await told.contains("\"ended\":\"done\""))
  }

  @Test("Of runs that have ended so much is kept and no more, however large their events were")
  func endedBytes() async throws {
    let text = Service("text", needs: .ask) { _ in
      streaming { emit in emit(Data("\"\(String(repeating: "t", count: 10 << 20))\"".utf8)) }
    }
    try await withDesk([text]) { desk in
      for number in 1...8 {
        let started = try await desk.ask(
          "POST", "/api/text", ["Prefer: respond-async", "Idempotency-Key: number-\(number)"], json: "{}")
        #expect(started.status == 202)
        // The journal tells that it has ended before the next one begins.
        while try await desk.ask("GET", "/api/operations").text.contains("running") {
          try await Task.sleep(for: .milliseconds(10))
        }
      }
      let left = try await desk.ask("GET", "/api/operations").text
      #expect((1...8).filter { left.contains("number-\($0)") } == [6, 7, 8])
    }
  }

  @Test("However much a program has run, what the page ran is there to be found")
  func others() async throws {
    try await withDesk([Sample.echo]) { desk in
      let page = try await desk.letIn().secret
      func run(_ id: String, as key: String) async throws {
        let headers = ["Prefer: respond-async", "Idempotency-Key: \(id)"]
        #expect(try await desk.ask("POST", "/api/echo", headers, json: "{}", as: key).status == 202)
        while try await desk.ask("GET", "/api/operations", as: page).text.contains("running") {
          try await Task.sleep(for: .milliseconds(5))
        }
      }
      try await run("of-the-page", as: page)
      let key = try desk.key([.manage])
      for number in 0..<80 { try await run("of-a-program-\(number)", as: key) }
      let left = try await desk.ask("GET", "/api/operations", as: page).text
      #expect(left.contains("of-the-page") && !left.contains("of-a-program-0\"") && left.contains("of-a-program-79"))
    }
  }

  @Test("The server stops while streams wait, operations run and requests come in")
  func stop() async throws {
    let gate = Sample.Gate()
    let desk = try Desk([Sample.hang(gate), Sample.echo])
    var streams: [Wire] = []
    for _ in 0..<20 { streams.append(try await desk.events().wire) }
    let hanging = try desk.send("POST", "/api/hang", json: "{}")
    _ = await hanging.read(until: "{\"n\":0}")
    await desk.close()
    await gate.passed()
    for stream in streams { _ = await stream.read() }
    #expect(throws: (any Error).self) { try Wire(port: desk.port) }
  }
}
