import Core
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A browser is opened by a stand-in for the desktop's opener, which keeps what it was given on its own command line.
@Suite("A browser is handed over")
struct HandOverTests {
  private struct Opened {
    var words: [String]
    var file: URL
    var code: String
    var port: String
  }

  /// A home with the stand-in on its path.
  private func place() throws -> Program {
    var program = try Program()
    let folder = program.home.appending(path: "bin")
    try Folders.make(folder)
    let opener = folder.appending(path: "xdg-open")
    let told = program.home.appending(path: "opened").path
    try Data(
      "#!/bin/sh\nprintf '%s\\n' \"$@\" > \(told).new\nmv \(told).new \(told)\nwhile [ -e \(told) ]; do sleep 0.2; done\n"
        .utf8
    ).write(to: opener)
    chmod(opener.path, 0o700)
    program.environment["PATH"] = folder.path + ":" + (program.environment["PATH"] ?? "/usr/bin:/bin")
    return program
  }

  /// A person's terminal.
  private static let terminal = ["python3", "-c", "import pty, sys; pty.spawn(sys.argv[1:])"]

  private func opened(_ program: Program) async throws -> Opened {
    let told = program.home.appending(path: "opened")
    while !FileManager.default.fileExists(atPath: told.path) { try await Task.sleep(for: .milliseconds(50)) }
    let words = try String(contentsOf: told, encoding: .utf8).split(separator: "\n").map(String.init)
    let file = try #require(URL(string: words.first ?? ""))
    let html = try String(contentsOf: file, encoding: .utf8)
    let match = try #require(html.firstMatch(of: /http:\/\/127\.0\.0\.1:([0-9]+)\/#key=([0-9a-f]{64})/))
    return Opened(words: words, file: file, code: String(match.2), port: String(match.1))
  }

  /// The command lines of all processes that this user may see, as any user may.
  private func commandLines() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { $0.allSatisfy(\.isNumber) }.compactMap {
      FileManager.default.contents(atPath: "/proc/\($0)/cmdline").map { String(decoding: $0, as: UTF8.self) }
    }
  }

  private func enter(_ opened: Opened) async throws -> Int {
    var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(opened.port)/api/session")))
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.httpBody = Data(#"{"ticket":"\#(SHA256.of(Data(opened.code.utf8)))"}"#.utf8)
    let (_, response) = try await URLSession.shared.data(for: request)
    return try #require(response as? HTTPURLResponse).statusCode
  }

  /// A first request in the session that the code has opened.
  private func use(_ opened: Opened) async throws -> Int {
    var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(opened.port)/api/ping")))
    request.setValue("Bearer \(SHA256.keyed(opened.code, "session"))", forHTTPHeaderField: "Authorization")
    let (_, response) = try await URLSession.shared.data(for: request)
    return try #require(response as? HTTPURLResponse).statusCode
  }

  /// Ends the program itself, not what started it.
  private func end(_ program: Program, _ signal: CInt = SIGTERM) throws {
    let owner = try String(contentsOf: program.home.appending(path: "owner.lock"), encoding: .utf8)
    kill(try #require(CInt(owner.trimmingCharacters(in: .whitespacesAndNewlines))), signal)
  }

  private func handOvers(_ program: Program) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: program.home.path).filter { $0.hasPrefix("hand-over-") }
  }

  @Test(
    "No command line on the machine holds the code; the file that does is the person's alone, and goes when it was used"
  )
  func commandLine() async throws {
    let program = try place()
    let serving = try program.start(["serve", "--port", "0"], through: Self.terminal)
    let opened = try await opened(program)
    #expect(opened.words.count == 1 && opened.file.isFileURL)
    #expect(opened.file.deletingLastPathComponent().path == program.home.path)
    var info = stat()
    #expect(lstat(opened.file.path, &info) == 0 && info.st_mode & S_IFMT == S_IFREG && info.st_mode & 0o777 == 0o600)
    #expect(stat(program.home.path, &info) == 0 && info.st_mode & 0o077 == 0)
    let lines = try commandLines()
    #expect(lines.contains { $0.contains(opened.file.lastPathComponent) }, "the stand-in is there")
    #expect(!lines.contains { $0.contains(opened.code) || $0.contains("#key=") })

    #expect(try await enter(opened) == 200)
    #expect(try await use(opened) == 200)
    #expect(try await enter(opened) == 401)
    while FileManager.default.fileExists(atPath: opened.file.path) { try await Task.sleep(for: .milliseconds(20)) }
    try end(program)
    _ = try await serving.outcome()
  }

  @Test("A browser that does not come within half a minute finds neither file nor a code that holds")
  func unused() async throws {
    let program = try place()
    let serving = try program.start(["serve", "--port", "0"], through: Self.terminal)
    let opened = try await opened(program)
    #expect(try await eventually { !FileManager.default.fileExists(atPath: opened.file.path) })
    #expect(try await enter(opened) == 401)
    try end(program)
    _ = try await serving.outcome()
  }

  @Test("The file goes with the program, however that ends, and what a killed one left goes at a later start")
  func ends() async throws {
    let program = try place()
    let serving = try program.start(["serve", "--port", "0"], through: Self.terminal)
    _ = try await opened(program)
    #expect(try handOvers(program).count == 1)
    try end(program, SIGKILL)
    _ = try await serving.outcome()
    while try !handOvers(program).isEmpty { try await Task.sleep(for: .milliseconds(20)) }

    let left = program.home.appending(path: "hand-over-left.html")
    let young = program.home.appending(path: "hand-over-young.html")
    for file in [left, young] { try Data("<!doctype html>".utf8).write(to: file) }
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -600)], ofItemAtPath: left.path)
    #expect(try await program.run("documents").status == 0)
    #expect(try handOvers(program) == ["hand-over-young.html"])
  }

  @Test("A link that lets a browser in is not printed where no person looks, unless a program asks for it")
  func printed() async throws {
    let program = try Program()
    let plain = try program.start(["serve", "--port", "0"])
    #expect(try await plain.waitFor { $0.contains("http://127.0.0.1") })
    #expect(try !plain.text.contains("#key=") && !plain.errorText.contains("#key="))
    // Asked on the owner's socket, for the person's own.
    #expect(try await program.run("serve", "--json").output.contains("#key="))
    #expect(try await !program.run("serve").output.contains("#key="))
    try end(program)
    _ = try await plain.outcome()
  }
}
