import Assistant
import Core
import Foundation
import Inference
import Synchronization
import Testing

@testable import Server

@Suite("What was told and is not taken")
struct UntakenTests {
  /// How many pieces of a quarter of a megabyte were told, and whether that is over.
  private final class Told: Sendable { let state = Mutex((count: 0, isOver: false)) }

  private static let pieces = 100

  /// `bytes` may wait to be taken; nothing here hurries, and nobody is put out for reading late.
  private static func bounds(_ bytes: Int) -> (inout Bounds) -> Void {
    return { ($0.requestBytes, $0.bodySeconds, $0.idleSeconds) = (bytes, 86_400, 86_400) }
  }

  /// Tells a quarter of a megabyte again and again.
  private static func endless(_ told: Told, pieces: Int = pieces) -> Service {
    Service("endless", needs: .ask) { _ in
      CountedEvents.counting(
        streaming { emit in
          defer { told.state.withLock { $0.isOver = true } }
          for _ in 0..<pieces {
            try await Task.sleep(for: .milliseconds(2))
            emit(Data("\"\(String(repeating: "x", count: 1 << 18))\"".utf8))
            told.state.withLock { $0.count += 1 }
          }
        })
    }
  }

  private static func beginning(
    _ desk: Desk, _ path: String, _ secret: String, json: String = "{}"
  ) throws -> Wire { try desk.send("POST", path, ["Connection: close"], json: json, as: secret) }

  private static func whole(_ wire: Wire) async -> Answer { Answer(await wire.read()) }

  @Test(
    "An operation whose program does not take what it is told ends, and says so; the page's goes on",
    arguments: [false, true])
  func endless(isPage: Bool) async throws {
    let told = Told()
    try await withDesk([Self.endless(told)], bounds: Self.bounds(2 << 20)) { desk in
      let secret = isPage ? try await desk.letIn().secret : try desk.key([.ask])
      let wire = try Self.beginning(desk, "/api/endless", secret)
      while !told.state.withLock(\.isOver) { try await Task.sleep(for: .milliseconds(20)) }
      // Beside what may wait, a piece that is being sent, and what the system holds between both.
      let count = told.state.withLock(\.count)
      #expect(isPage ? count == Self.pieces : count < 60, "\(count)")
      let last = await Self.whole(wire).text.suffix(200)
      #expect(isPage != last.contains(#""code":"busy""#), "\(last)")
      // What is over is not counted any more.
      #expect(try await desk.ask("GET", "/api/ping", as: secret).status == 200)
    }
  }

  /// A model that writes on and on.
  private struct Talker: CompletionSource {
    let told: Told
    func models() async throws -> [CompletionModel] { [SampleSource.model("sample-chat", .chat)] }
    func usual() async throws -> String { "sample-chat" }
    func count(_ request: GenerateRequest, model: String) async throws -> Int { 1 }
    func embed(_ input: EmbedInput, model: String, long: EmbedRequest.Long) async throws -> (
      vectors: [[Float]], report: EmbedReport
    ) { ([], EmbedReport()) }
    func load(_ model: String) async throws {}
    func unload(_ model: String) async throws {}
    func generate(_ request: GenerateRequest, model: String) -> AsyncThrowingStream<GenerationEvent, any Error> {
      streaming { emit in
        defer { told.state.withLock { $0.isOver = true } }
        emit(.prompt(PromptReport()))
        for _ in 0..<pieces {
          try await Task.sleep(for: .milliseconds(2))
          emit(.piece(String(repeating: "x", count: 1 << 18)))
          told.state.withLock { $0.count += 1 }
        }
        emit(.done(GenerateReport()))
      }
    }
  }

  @Test("A model whose answer a program does not take writes no further", arguments: ["true", "false"])
  func talker(streams: String) async throws {
    let told = Told()
    let desk = TextDesk(Talker(told: told), ask: nil)
    try await withDesk(routes: desk.completionRoutes, bounds: Self.bounds(2 << 20)) { desk in
      let json = #"{"model":"sample-chat","stream":\#(streams),"messages":[{"role":"user","content":"a"}]}"#
      let wire = try Self.beginning(desk, "/v1/chat/completions", desk.key([.ask]), json: json)
      while !told.state.withLock(\.isOver) { try await Task.sleep(for: .milliseconds(20)) }
      #expect(told.state.withLock(\.count) < 60)
      let last = await Self.whole(wire).text.suffix(400)
      #expect(last.contains("busy"), "\(last)")
    }
  }

  @Test("What a tool of the Model Context Protocol tells on the way is counted as well")
  func progress() async throws {
    let told = Told()
    let pieces = 2000
    let ask = Service("ask", needs: .ask) { _ in
      streaming { emit in
        defer { told.state.withLock { $0.isOver = true } }
        for _ in 0..<pieces {
          try await Task.sleep(for: .milliseconds(2))
          emit(Data(#"{"loading":0.5}"#.utf8))
          told.state.withLock { $0.count += 1 }
        }
      }
    }
    try await withDesk(routes: ModelContextRoutes([ask]).routes, bounds: Self.bounds(2 << 20)) { desk in
      // What each of them is told with.
      let token = String(repeating: "x", count: 1 << 18)
      let json =
        #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{"question":"a"},"#
        + #""_meta":{"progressToken":"\#(token)"}}}"#
      let wire = try desk.send(
        "POST", "/mcp", ["Connection: close", "Accept: text/event-stream"], json: json, as: desk.key([.ask]))
      while !told.state.withLock(\.isOver) { try await Task.sleep(for: .milliseconds(20)) }
      #expect(told.state.withLock(\.count) < pieces)
      let last = await Self.whole(wire).text.suffix(400)
      #expect(last.contains("busy"), "\(last)")
    }
  }

  @Test("What a program has taken is not counted any more: one answer after the other is told whole")
  func taken() async throws {
    let told = Told()
    try await withDesk([Self.endless(told, pieces: 6)], bounds: Self.bounds(2 << 20)) { desk in
      let key = try desk.key([.ask])
      for _ in 0..<12 {
        let answer = try await Self.whole(Self.beginning(desk, "/api/endless", key))
        #expect(answer.body.count == 6 * ((1 << 18) + 3))
      }
    }
  }

  @Test("Of long answers that a program leaves lying the next is refused, and comes once they were taken")
  func lying() async throws {
    let route = Route(
      "POST", "/api/long", needs: .right(.ask), body: .json(limit: 1 << 20, seconds: 60),
      .later { _ in .json(Data(count: 20 << 20)) })
    try await withDesk(routes: [route], bounds: Self.bounds(30 << 20)) { desk in
      let (page, key) = (try await desk.letIn().secret, try desk.key([.ask]))
      let lying = try Self.beginning(desk, "/api/long", key)
      #expect(await lying.read(until: "200 OK").contains("200 OK"))
      #expect(try await Self.whole(Self.beginning(desk, "/api/long", key)).status == 429)
      #expect(try await Self.whole(Self.beginning(desk, "/api/long", page)).body.count == 20 << 20)
      _ = await lying.read()
      while try await Self.whole(Self.beginning(desk, "/api/long", key)).status != 200 {
        try await Task.sleep(for: .milliseconds(50))
      }
    }
  }

  @Test("A program's stream holds nothing of an event that it sends, and ends where that is gone; a page's tells all")
  func streams() {
    let program = Caller.key(id: "1", rights: [.ask])
    for reader in [program, .page(session: "s")] {
      let ring = EventRing(events: 100, bytes: 1 << 20)
      let feed = EventFeed(ring, after: nil, for: reader)
      var buffer = [UInt8](repeating: 0, count: 4096)
      var text = ""
      func read() -> Bool {
        guard case .bytes(let count) = buffer.withUnsafeMutableBytes({ feed.read(into: $0) }) else { return false }
        text += String(decoding: buffer.prefix(count), as: UTF8.self)
        return true
      }
      #expect(read() && text.contains("event: hello"))
      ring.publish(Data("\"begins \(String(repeating: "a", count: 100_000)) ends\"".utf8), from: program)
      #expect(read() && text.contains("begins"))
      // Of what comes meanwhile there is too much to keep both.
      ring.publish(Data("\"\(String(repeating: "b", count: 1 << 20))\"".utf8), from: program)
      while read() {}
      #expect(text.contains("ends") == reader.isPerson)
      feed.close()
    }
  }

  /// What reading all that was sent in pieces of so many bytes takes of this thread's computing.
  private func cost(of pieces: Int, each bytes: Int, _ feed: (Data) -> any BodySource) async -> Double {
    var sum = 0.0
    for _ in 0..<pieces {
      // Of zeros the system gives memory only when they are read, which would count as reading.
      sum += Self.reading(feed(Data(repeating: 1, count: bytes)), bytes)
    }
    return sum
  }

  private static func reading(_ feed: any BodySource, _ bytes: Int) -> Double {
    func now() -> Double {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16384, alignment: 16)
    defer { buffer.deallocate() }
    let before = now()
    var left = bytes
    while left > 0, case .bytes(let count) = feed.read(into: buffer) { left -= count }
    #expect(left <= 0)
    return now() - before
  }

  private static func line(_ data: Data) -> any BodySource {
    let feed = LineFeed()
    feed.send(data)
    return feed
  }

  private static func event(_ data: Data) -> any BodySource {
    let ring = EventRing(events: 8, bytes: 1 << 30)
    let feed = EventFeed(ring, after: nil, for: .page(session: "s"))
    ring.publish(data, from: .page(session: "s"))
    return feed
  }

  @Test("What is long is sent in the time that as much takes in short pieces", arguments: [false, true])
  func linear(isEvent: Bool) async {
    let feed = isEvent ? Self.event : Self.line
    let short = await cost(of: 256, each: 256 << 10, feed)
    let long = await cost(of: 1, each: 64 << 20, feed)
    // Copied anew for each 16 kB that are read, it would be some thousand times as much.
    #expect(long < 100 * short, "\(long) s, \(short) s")
  }
}
