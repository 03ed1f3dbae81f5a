import Assistant
import Core
import Foundation
import Synchronization

/// One word after `libera`. A command turns words into an operation's input and shows its events; the work is elsewhere.
protocol Command: Sendable {
  static var name: String { get }
  /// One line for `libera help`.
  static var summary: String { get }
  /// What follows the name, as in `ask "QUESTION"`.
  static var usage: String { get }
  static var options: [Arguments.Option] { get }
  /// Whole lines as a person types them, for help and the manual page.
  static var examples: [String] { get }
  /// The words that may follow the name, for completion.
  static var verbs: [String] { get }
  /// Whether it works in the house; then the launcher starts and the process seals itself before anything else.
  static var entersHouse: Bool { get }
  /// Where it writes beside the house's folders, as the person has said on the command line.
  static func writes(_ arguments: Arguments) -> [URL]
  /// Before this process seals itself: what only a terminal may do.
  static func prepare(_ arguments: Arguments, _ folders: Folders) throws
  static func run(_ arguments: Arguments, _ context: Context) async throws
}

extension Command {
  static var usage: String { "" }
  static var verbs: [String] {
    // The words in small letters of the usage line are the verbs; what a person fills in stands in capitals, a remark in
    // brackets.
    usage.prefix { $0 != "(" }.split { !$0.isLetter && $0 != "-" }.map(String.init).filter {
      $0 == $0.lowercased() && !$0.hasPrefix("-")
    }
  }
  static var entersHouse: Bool { true }
  static func writes(_ arguments: Arguments) -> [URL] { [] }
  static func prepare(_ arguments: Arguments, _ folders: Folders) throws {}
  static var options: [Arguments.Option] { [] }
}

/// The door that a command has opened.
private final class OpenedDoor: Sendable {
  let door = Mutex<Door?>(nil)
}

/// What every command is given: where the data lies, where words go, and the way to the house.
struct Context: Sendable {
  let folders: Folders
  let terminal: Terminal
  let json: Bool
  /// A script of readings that replaces the device's sensors.
  let simulation: URL?
  private let doorstep: Doorstep?
  private let opened = OpenedDoor()

  static let options: [Arguments.Option] = [
    .value("--home", "FOLDER", "keep data and settings in FOLDER"),
    .flag("--json", "print for machines, as docs/cli.md says"),
    .value("--simulate", "FILE", "replay a script of device readings instead of reading sensors"),
  ]

  init(_ arguments: Arguments, entersHouse: Bool, writable: [URL] = []) throws {
    folders = Self.folders(arguments)
    terminal = Terminal()
    json = arguments.has("--json")
    simulation = arguments.text("--simulate").map { URL(filePath: $0) }
    doorstep = entersHouse ? try Doorstep(folders, writable: writable) : nil
  }

  static func folders(_ arguments: Arguments) -> Folders {
    Folders(home: arguments.text("--home").map { URL(filePath: $0, directoryHint: .isDirectory) })
  }

  /// Before anyone enters the house.
  func restore(_ backup: URL, password: String?, replacing: Bool) async throws -> BackUp.Event.Done {
    guard let doorstep else { throw UsageError.noDoor }
    return try await doorstep.restore(backup, password: password, replacing: replacing)
  }

  /// The way to the operations; only commands that enter the house have one. The program closes it after the command, whatever
  /// happened inside.
  func door() async throws -> Door {
    guard let doorstep else { throw UsageError.noDoor }
    let door = try await Door.open(doorstep, simulation: simulation)
    opened.door.withLock { $0 = door }
    return door
  }

  /// Leaves the house in order. Other commands that were let in meanwhile are answered first, until `deadline` at the latest.
  func leave(by deadline: ContinuousClock.Instant? = nil) async {
    await opened.door.withLock { door in
      defer { door = nil }; return door
    }?.close(by: deadline)
  }
}

/// Something failed that was told where it happened: only the exit status is left to say so.
struct ToldFailure: Error {}

/// What the exit status says. Listed in docs/cli.md.
enum ExitCode: Int32 {
  case done = 0
  case failed = 1
  case usage = 2
  case notFound = 3
  case refused = 4
  case workerDied = 5
  case interrupted = 130
  case unheard = 141

  init(of error: any Error) {
    if error is CancellationError {
      self = .interrupted
      return
    }
    switch RemoteError(error).code {
    case "usage": self = .usage
    case "cancelled": self = .interrupted
    case let code where code.hasSuffix("_not_found") || code.hasSuffix("_missing"): self = .notFound
    case let code where code.hasSuffix("_refused") || code.hasSuffix("_mismatch"): self = .refused
    case "unknown_pack", "unknown_action", "pack_not_installed": self = .notFound
    case "pack_malformed", "pack_unsupported", "pack_damaged", "not_enough_space", "offline", "insecure_address",
      "wrong_length", "no_published_hash", "disk_full":
      self = .refused
    case "worker_died": self = .workerDied
    default: self = .failed
    }
  }
}
