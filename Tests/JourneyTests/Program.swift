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

  let home: URL
  var environment = ProcessInfo.processInfo.environment

  /// A fresh, empty home. With packs, the default packs that the test run has prepared are linked into it.
  init(withPacks: Bool = false) throws {
    home = FileManager.default.temporaryDirectory.appending(path: "libera-journey-\(UUID().uuidString)")
    try Folders.make(home)
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
  static var preparedPacks: URL? {
    guard let given = ProcessInfo.processInfo.environment["LIBERA_TEST_HOME"] else { return nil }
    let packs = URL(filePath: given).appending(path: "packs")
    return FileManager.default.fileExists(atPath: packs.path) ? packs : nil
  }
  static let needsPacks: Comment = "the default packs are not prepared; ./libera test does that"

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

  /// What only a terminal decides: beside the home, not in it.
  var permissions: URL { Folders(home: home).permissions }

  func remove() throws {
    try FileManager.default.removeItem(at: home)
    if FileManager.default.fileExists(atPath: permissions.path) {
      try FileManager.default.removeItem(at: permissions)
    }
  }
}

/// One run of the program. What it prints goes to two files, so that nothing waits on a pipe.
final class Running: Sendable {
  private let process: Process
  private let output: URL
  private let errors: URL
  private let input: FileHandle

  init(_ words: [String], environment: [String: String], input data: Data) throws {
    let place = FileManager.default.temporaryDirectory.appending(path: "libera-run-\(UUID().uuidString)")
    output = place.appendingPathExtension("out")
    errors = place.appendingPathExtension("err")
    try Data().write(to: output)
    try Data().write(to: errors)
    process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = words
    process.environment = environment
    let standardInput = Pipe()
    process.standardInput = standardInput
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: errors)
    input = standardInput.fileHandleForWriting
    try process.run()
    if !data.isEmpty { try input.write(contentsOf: data) }
  }

  var identifier: Int32 { process.processIdentifier }
  var text: String { get throws { String(decoding: try Data(contentsOf: output), as: UTF8.self) } }
  var errorText: String { get throws { String(decoding: try Data(contentsOf: errors), as: UTF8.self) } }

  /// Waits until what was printed so far satisfies the condition, or the program ended.
  func waitFor(_ condition: (String) -> Bool) async throws -> Bool {
    while !condition(try text) {
      if !process.isRunning { return condition(try text) }
      try await Task.sleep(for: .milliseconds(20))
    }
    return true
  }

  /// Waits until the errors printed so far satisfy the condition, or the program ended.
  func waitForErrors(_ condition: (String) -> Bool) async throws -> Bool {
    while !condition(try errorText) {
      if !process.isRunning { return condition(try errorText) }
      try await Task.sleep(for: .milliseconds(20))
    }
    return true
  }

  func type(_ line: String) throws { try input.write(contentsOf: Data((line + "\n").utf8)) }

  /// The person ends the conversation.
  func quit() async throws -> Program.Outcome {
    try type("/quit")
    return try await outcome()
  }

  func send(signal: Int32) { kill(process.processIdentifier, signal) }

  func outcome() async throws -> Program.Outcome {
    try? input.close()  // closed twice is harmless: the program only has to see the end of its input
    while process.isRunning { try await Task.sleep(for: .milliseconds(10)) }
    let outcome = Program.Outcome(status: process.terminationStatus, output: try text, errors: try errorText)
    try FileManager.default.removeItem(at: output)
    try FileManager.default.removeItem(at: errors)
    return outcome
  }
}
