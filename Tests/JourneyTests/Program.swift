import Core
import Foundation
import TestSupport
import Testing
import Workers

/// The real program, run as a person or a script runs it.
struct Program {
  struct Outcome {
    var status: Int32
    var output: String
    var errors: String
    var lines: [String] { output.split(separator: "\n").map(String.init) }

    /// Every line of the output as an object, as `--json` prints them.
    var objects: [[String: Any]] {
      get throws {
        try lines.map { try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]) }
      }
    }

    /// The code of the one error that `--json` prints.
    var errorCode: String? {
      let object = try? JSONSerialization.jsonObject(with: Data(errors.utf8)) as? [String: Any]  // nil: no error
      return (object?["error"] as? [String: Any])?["code"] as? String
    }

    func json<Value: Decodable>(_ type: Value.Type) throws -> Value {
      try JSONDecoder().decode(type, from: Data(output.utf8))
    }
  }

  private let scratch: Scratch
  var home: URL { scratch.folder }
  var environment = ProcessInfo.processInfo.environment

  /// A fresh, empty home, which goes with the program. With packs, the default packs that the test run has prepared are
  /// linked into it.
  init(withPacks: Bool = false) throws {
    scratch = try Scratch("journey")
    environment["XDG_CACHE_HOME"] = home.appending(path: "cache").path
    environment["NO_COLOR"] = "1"
    // What it says is compared with English words, whatever the language of who runs the tests.
    (environment["LC_ALL"], environment["LC_MESSAGES"], environment["LANG"]) = (nil, nil, "C.UTF-8")
    if withPacks {
      try linkPacks()
      // A linked lock file would be one lock for every home.
      let staging = home.appending(path: "packs/.staging")
      if FileManager.default.fileExists(atPath: staging.path) { try FileManager.default.removeItem(at: staging) }
      // Measuring threads anew in each fresh home would only cost time.
      try Data(#"{"threads": 2}"#.utf8).write(to: home.appending(path: "settings.json"))
    }
  }

  func linkPacks() throws {
    let packs = try #require(Self.preparedPacks)
    try #require(try Tool.run(["cp", "-al", packs.path, home.path]).status == 0)
  }

  /// Where `./libera test` has put the default packs; nil when the tests are run without it.
  static var preparedPacks: URL? { Prepared.packs }
  static let needsPacks: Comment = "the default packs are not prepared; ./libera test does that"

  /// A file in its home.
  func file(_ name: String, _ text: String) throws -> URL { try scratch.file(name, Data(text.utf8)) }

  /// Beside the test bundle, in the build folder.
  static var binary: URL {
    get throws {
      let folder = URL(filePath: try WorkerProgram.find()).deletingLastPathComponent()
      return folder.appending(path: "libera")
    }
  }

  /// Makes a device hot, so that it pauses between tokens: an answer then takes long enough to be interrupted anywhere.
  func heated() throws -> [String] {
    let script = home.appending(path: "hot.jsonl")
    try Data(#"{"t_ms": 0, "thermal": "serious"}"#.utf8).write(to: script)
    return ["--simulate", script.path]
  }

  func start(_ words: [String], input: Data = Data(), through wrapper: [String] = []) throws -> Running {
    try Running(
      wrapper + [try Self.binary.path] + words + ["--home", home.path], environment: environment, input: input)
  }

  func run(_ words: String..., input: String = "", through wrapper: [String] = []) async throws -> Outcome {
    try await start(words, input: Data(input.utf8), through: wrapper).outcome()
  }

  /// `script` gives the program a terminal of its own and passes on what is typed.
  func onTerminal(_ words: [String] = []) throws -> Running {
    let words = [try Self.binary.path] + words + ["--home", home.path]
    return try Running(
      ["script", "-qec", words.map { "'\($0)'" }.joined(separator: " "), "/dev/null"], environment: environment,
      input: Data())
  }

  /// A conversation on a terminal that waits for the first line.
  func chat(_ options: [String] = []) async throws -> Running {
    let chat = try onTerminal(["chat"] + options)
    try #require(try await chat.waitFor { $0.contains("Ctrl-D ends") && $0.contains("you  ") })
    return chat
  }

  /// A server that has said where it is.
  func serve() async throws -> Running {
    let server = try start(["serve", "--no-open", "--json"])
    try #require(try await server.waitFor { $0.contains("address") })
    return server
  }

  /// What only a terminal decides: beside the home, not in it.
  var permissions: URL { Folders(home: home).permissions }
}

/// One run of the program. What it prints goes to two files, so that nothing waits on a pipe.
final class Running: Sendable {
  private let process: Process
  private let scratch: Scratch
  private var output: URL { scratch.folder.appending(path: "out") }
  private var errors: URL { scratch.folder.appending(path: "err") }
  private let input: FileHandle

  init(_ words: [String], environment: [String: String], input data: Data) throws {
    scratch = try Scratch("run")
    process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = words
    process.environment = environment
    let standardInput = Pipe()
    process.standardInput = standardInput
    input = standardInput.fileHandleForWriting
    for file in [output, errors] { try Data().write(to: file) }
    let printed = try [output, errors].map { try FileHandle(forWritingTo: $0) }
    (process.standardOutput, process.standardError) = (printed[0], printed[1])
    try process.run()
    // A process that has ended keeps them open here, and Foundation's way to start one breaks with some 1,350 open files.
    for handle in printed { try handle.close() }
    if !data.isEmpty { try input.write(contentsOf: data) }
  }

  var identifier: Int32 { process.processIdentifier }
  var text: String { get throws { String(decoding: try Data(contentsOf: output), as: UTF8.self) } }
  var errorText: String { get throws { String(decoding: try Data(contentsOf: errors), as: UTF8.self) } }

  /// Waits until what was printed so far satisfies the condition, or the program ended.
  func waitFor(_ condition: (String) -> Bool) async throws -> Bool {
    try await wait { condition(try text) }
  }

  /// Waits until the errors printed so far satisfy the condition, or the program ended.
  func waitForErrors(_ condition: (String) -> Bool) async throws -> Bool {
    try await wait { condition(try errorText) }
  }

  private func wait(until holds: () throws -> Bool) async throws -> Bool {
    while try !holds() {
      if !process.isRunning { return try holds() }
      try await Task.sleep(for: .milliseconds(20))
    }
    return true
  }

  func type(_ line: String) throws { try input.write(contentsOf: Data((line + "\n").utf8)) }

  /// The person ends the conversation, and the program ends well.
  @discardableResult
  func quit(sourceLocation: SourceLocation = #_sourceLocation) async throws -> Program.Outcome {
    try type("/quit")
    let outcome = try await outcome()
    #expect(
      outcome.status == 0, "\(outcome.output.debugDescription) \(outcome.errors)", sourceLocation: sourceLocation)
    return outcome
  }

  func send(signal: Int32) { kill(process.processIdentifier, signal) }

  /// Asks it to end, as the system does.
  func end() async throws -> Program.Outcome {
    send(signal: SIGTERM)
    return try await outcome()
  }

  func outcome() async throws -> Program.Outcome {
    try? input.close()  // closed twice is harmless: the program only has to see the end of its input
    while process.isRunning { try await Task.sleep(for: .milliseconds(10)) }
    return Program.Outcome(status: process.terminationStatus, output: try text, errors: try errorText)
  }
}
