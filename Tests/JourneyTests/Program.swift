import Core
import Foundation
import Testing

/// The real program, run as a person or a script runs it.
struct Program {
  struct Outcome {
    var status: Int32
    var output: String
    var errors: String
    var lines: [String] { output.split(separator: "\n").map(String.init) }

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
    if withPacks {
      let copy = Process()
      copy.executableURL = URL(filePath: "/bin/cp")
      copy.arguments = ["-al", try #require(Self.preparedPacks).path, home.appending(path: "packs").path]
      try copy.run()
      copy.waitUntilExit()
      try #require(copy.terminationStatus == 0)
    }
  }

  /// Where `./libera test` has put the default packs; nil when the tests are run without it.
  static var preparedPacks: URL? {
    guard let given = ProcessInfo.processInfo.environment["LIBERA_TEST_HOME"] else { return nil }
    let packs = URL(filePath: given).appending(path: "packs")
    return FileManager.default.fileExists(atPath: packs.path) ? packs : nil
  }
  static let needsPacks: Comment = "the default packs are not prepared; ./libera test does that"

  static var binary: URL { Installation.programs.appending(path: "libera") }

  func start(_ words: [String], input: Data = Data(), through wrapper: [String] = []) throws -> Running {
    try Running(wrapper + [Self.binary.path] + words + ["--home", home.path], environment: environment, input: input)
  }

  func run(_ words: String..., input: String = "", through wrapper: [String] = []) async throws -> Outcome {
    try await start(words, input: Data(input.utf8), through: wrapper).outcome()
  }

  func remove() throws { try FileManager.default.removeItem(at: home) }
}

/// One run of the program, its output collected as it comes.
final class Running: Sendable {
  private let process: Process
  private let output = Collected()
  private let errors = Collected()
  let input: FileHandle

  init(_ words: [String], environment: [String: String], input data: Data) throws {
    process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = words
    process.environment = environment
    let (standardInput, standardOutput, standardError) = (Pipe(), Pipe(), Pipe())
    process.standardInput = standardInput
    process.standardOutput = standardOutput
    process.standardError = standardError
    input = standardInput.fileHandleForWriting
    output.collect(standardOutput.fileHandleForReading)
    errors.collect(standardError.fileHandleForReading)
    try process.run()
    if !data.isEmpty { try input.write(contentsOf: data) }
  }

  var identifier: Int32 { process.processIdentifier }
  var text: String { output.text }
  var errorText: String { errors.text }

  /// Waits until what was printed so far satisfies the condition, or the program ended.
  func waitFor(_ condition: @Sendable (String) -> Bool) async throws -> Bool {
    while !condition(output.text) {
      if !process.isRunning { return condition(output.text) }
      try await Task.sleep(for: .milliseconds(20))
    }
    return true
  }

  func send(signal: Int32) { kill(process.processIdentifier, signal) }

  func outcome() async throws -> Program.Outcome {
    try? input.close()  // closed twice is harmless: the program only has to see the end of its input
    while process.isRunning { try await Task.sleep(for: .milliseconds(10)) }
    await output.ended()
    await errors.ended()
    return Program.Outcome(status: process.terminationStatus, output: output.text, errors: errors.text)
  }
}

private final class Collected: @unchecked Sendable {
  // Unchecked: guarded by the lock; FileHandle's handler runs on a queue of its own.
  private let lock = NSLock()
  private var data = Data()
  private var atEnd = false

  func collect(_ handle: FileHandle) {
    handle.readabilityHandler = { [self] handle in
      let more = handle.availableData
      lock.withLock {
        data += more
        if more.isEmpty { atEnd = true }
      }
      if more.isEmpty { handle.readabilityHandler = nil }
    }
  }

  var text: String { lock.withLock { String(decoding: data, as: UTF8.self) } }

  func ended() async {
    while !lock.withLock({ atEnd }) {
      do { try await Task.sleep(for: .milliseconds(5)) } catch { return }
    }
  }
}
