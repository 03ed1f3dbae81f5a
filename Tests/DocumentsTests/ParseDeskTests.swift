import Core
import Documents
import Foundation
import Synchronization
import TestSupport
import Testing
import Workers

@Suite("A worker for short requests")
struct ParseDeskTests {
  /// Every sentence is looked for at two thousand places and differs only in its last letter.
  private static func slow(_ bytes: Int) -> MarkdownRequest {
    let letters = String(repeating: "a", count: bytes)
    return MarkdownRequest(text: letters, sentences: (0..<20).map { _ in String(letters.dropLast(2000)) + "b" })
  }

  @Test("Requests are answered one after the other by one worker, which stays")
  func stays() async throws {
    let desk = ParseDesk()
    let answers = try await withThrowingTaskGroup { group in
      for number in 0..<20 {
        group.addTask { try await desk.ask("markdown", MarkdownRequest(text: "\(number)"), for: String.self) }
      }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(answers == Set((0..<20).map { "<p>\($0)</p>\n" }))
    let process = await desk.process
    #expect(process != nil)
    _ = try await desk.ask("markdown", MarkdownRequest(text: "again"), for: String.self)
    #expect(await desk.process == process)
    await desk.stop()
    #expect(await desk.process == nil)
  }

  @Test("A request that takes too long ends the worker and says so; those behind it are answered by the next one")
  func overruns() async throws {
    let desk = ParseDesk()
    let late = Task { try await desk.ask("markdown", Self.slow(400_000), within: .milliseconds(50), for: String.self) }
    let behind = Task { try await desk.ask("markdown", MarkdownRequest(text: "behind"), for: String.self) }
    await #expect(throws: DocumentError.tooSlow(seconds: 0)) { try await late.value }
    #expect(try await behind.value == "<p>behind</p>\n")
    #expect(await desk.endedWorkers == 1)
    await desk.stop()
  }

  @Test("After the worker was killed the next request finds another")
  func survives() async throws {
    let desk = ParseDesk()
    _ = try await desk.ask("markdown", MarkdownRequest(text: "one"), for: String.self)
    let process = try #require(await desk.process)
    let running = Task {
      try await desk.ask("markdown", Self.slow(400_000), within: .seconds(3600), for: String.self)
    }
    let killer = Task {
      while true {
        try await Task.sleep(for: .milliseconds(50))
        if let process = await desk.process { kill(process, SIGKILL) }
      }
    }
    #expect(await errorCode { try await running.value } == "document_worker_ended")
    killer.cancel()
    _ = await killer.result
    #expect(try await desk.ask("markdown", MarkdownRequest(text: "two"), for: String.self) == "<p>two</p>\n")
    #expect(await desk.process != process)
    await desk.stop()
  }

  @Test("Who is cancelled leaves at once, and what was not begun never is")
  func leaves() async throws {
    let desk = ParseDesk()
    let slow = Task { try await desk.ask("markdown", Self.slow(400_000), within: .milliseconds(500), for: String.self) }
    while await desk.process == nil { try await Task.sleep(for: .milliseconds(5)) }
    let waiting = Task { try await desk.ask("markdown", Self.slow(400_000), for: String.self) }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    await #expect(throws: DocumentError.self) { try await slow.value }
    #expect(try await desk.ask("markdown", MarkdownRequest(text: "on"), for: String.self) == "<p>on</p>\n")
    await desk.stop()
  }

  private final class Answered: Sendable { let names = Mutex<[String]>([]) }

  @Test("However much one caller asks for, another is answered next, and has room of its own")
  func turns() async throws {
    var bounds = ParseDesk.Bounds()
    bounds.waiting = 8
    let desk = ParseDesk(bounds: bounds)
    let (program, page) = (Caller.key(id: "1", rights: [.ask]), Caller.page(session: "s"))
    let answered = Answered()
    func ask(_ name: String, for caller: Caller, _ request: MarkdownRequest) -> Task<Void, any Error> {
      Task {
        try await Caller.$asking.withValue(caller) {
          _ = try await desk.ask("markdown", request, within: .seconds(86_400), for: String.self)
          answered.names.withLock { $0.append(name) }
        }
      }
    }
    let slow = (0..<8).map { _ in ask("program", for: program, Self.slow(2_100)) }
    while await desk.waits(for: program) < 8 { try await Task.sleep(for: .milliseconds(1)) }
    await #expect(throws: DocumentError.busy(8)) {
      try await ask("program", for: program, MarkdownRequest(text: "x")).value
    }
    try await ask("page", for: page, MarkdownRequest(text: "x")).value
    for one in slow { try await one.value }
    let place = try #require(answered.names.withLock { $0 }.firstIndex(of: "page"))
    #expect(place < 6, "\(answered.names.withLock { $0 })")
    await desk.stop()
  }

  @Test("What the engine refuses is told, and the worker goes on")
  func refuses() async throws {
    let desk = ParseDesk()
    await #expect(throws: RemoteError.self) { try await desk.ask("no such thing", "", for: String.self) }
    _ = try await desk.ask("markdown", MarkdownRequest(text: "x"), for: String.self)
    #expect(await desk.endedWorkers == 0)
    await desk.stop()
  }

  @Test("Markdown that is too long or takes too long is shown as it was written, with a line that says so")
  func plain() async throws {
    let renderer = MarkdownRenderer(ParseDesk())
    let long = try await renderer.html(from: String(repeating: "<b> ", count: 100_000))
    #expect(long.hasPrefix("<p><em>Shown as it was written, because it has 400 kB"))
    #expect(long.contains("<pre>&lt;b&gt; ") && !long.contains("<b>"))
    #expect(try await renderer.html(from: "*a*") == "<p><em>a</em></p>\n")
  }

  /// Says what it was told to, whatever it is asked.
  private final class TakenOver: Engine {
    let html: String
    init(_ html: String) { self.html = html }
    func handle(_ call: Call, _ reply: some ReplySink) throws { try reply.event(html) }
  }

  @Test(
    "What a worker that was taken over gives for Markdown does not reach the page",
    arguments: [
      "<meta http-equiv=\"refresh\" content=\"0;url=https://evil.example\">",
      "<link rel=\"preconnect\" href=\"//e.x\">",
      "<a href=\"https://evil.example\">x</a>", "<img src=\"x\">", "<p onclick=\"x\">", "<P>", "<!-- x", "<p",
      "</script>",
      "<span data-s=\"0\" id=\"x\">", "<code class=\"language-x app\">", "<form>", "<input type=\"text\" />", "<br>",
      "<\np>",
      "<ol start=\"1\"style=\"x\">", "<td align=\"left\" >", "<ol start=\"\">", "<ol start=\"\u{661}\">",
      "<code class=\"language-\"\u{301}/style=background:url(//a.example)/\">", "<code class=\"language-x y\">",
    ])
  func takenOver(html: String) async throws {
    let desk = ParseDesk(on: .threads { _ in TakenOver("<p>fine</p>" + html) })
    let shown = try await MarkdownRenderer(desk).html(from: "*words*")
    let reason = "what it was laid out as is not what Markdown can be"
    #expect(shown == "<p><em>Shown as it was written, because \(reason).</em></p>\n<pre>*words*</pre>\n")
    await desk.stop()
  }

  @Test("Whatever Markdown is laid out as passes")
  func laidOut() async throws {
    let renderer = MarkdownRenderer(ParseDesk())
    let text = """
      # One

      ## Two ~~gone~~ **strong** *em* `code <b>` <b> a > b

      one line\\
      broken

      - [x] done
      - [ ] open

      7. seven
      8. eight

      > quoted

      | a | b | c |
      |:--|:-:|--:|
      | 1 | 2 | <3 |

      ```c++ "x"
      a < b
      ```

          plain

      ---
      [x](https://a.example "t") ![y](z.png)\\
      &lt; <https://a.example>
      """
    let html = try await renderer.html(from: text, sentences: ["# One", "quoted", "| 1 | 2 | <3 |"])
    #expect(html.contains("<h3>") && html.contains("<del>gone</del>") && html.contains("align=\"right\""), "\(html)")
    for mark in ["<input", "<ol start=\"7\">", "<code class=\"language-c++\">", "<hr />", "<br />", "data-s=\"1\""] {
      #expect(html.contains(mark), "\(mark): \(html)")
    }
  }

  @Test("A table of 880 kB that would become thousands of millions of cells is read as text")
  func table() async throws {
    let columns = 100_000
    let table =
      [String(repeating: "|a", count: columns), String(repeating: "|-", count: columns)]
      + [String](repeating: "|x", count: 160_000)
    let text = "# A title\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n" + table.joined(separator: "|\n")
    #expect(text.utf8.count > 880_000)
    let file = FileManager.default.temporaryDirectory.appending(path: "libera-\(UUID().uuidString).md")
    try Data(text.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let reader = DocumentReader()
    var (rows, bytes) = (0, 0)
    for try await event in reader.parse(file, ParseRequest(name: "a.md")) {
      guard case .page(let page) = event else { continue }
      rows += page.blocks.count { if case .row = $0.kind { true } else { false } }
      bytes += page.text.utf8.count
    }
    #expect(rows == 0 && bytes > 800_000 && bytes < 2_000_000)
    await reader.stop()
  }
}
