import Assistant
import Core
import Foundation
import Releases
import Workers

/// Removes the program where it was unpacked from the tar file. What a package manager has installed is the package manager's to remove.
enum UninstallCommand: Command {
  static let name = "uninstall"
  static let summary = "remove the program that was unpacked from the tar file, and your data if you say so"
  static let examples = ["libera uninstall", "libera uninstall --yes --data"]
  static let options: [Arguments.Option] = [
    .flag("--yes", "do not ask; your data stays"),
    .flag("--data", "remove documents, conversations, models and settings as well"),
  ]
  static let entersHouse = false

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    try arguments.only(0...0, "")
    let program = try unpacked(Installation.programs)
    let tree = program.folder
    let (terminal, folders) = (context.terminal, context.folders)
    // A folder that a person has named may hold more than ours.
    if arguments.has("--data"), arguments.text("--home") != nil { throw UninstallError.named(folders.data.path) }
    let owned = arguments.text("--home") == nil
    let data = [folders.data, folders.configuration, folders.cache, folders.permissions, folders.toolServers].filter {
      owned && FileManager.default.fileExists(atPath: $0.path)
    }
    var lock: OwnerLock?
    if FileManager.default.fileExists(atPath: folders.data.path) {
      switch try OwnerLock.take(folders.ownerLock) {
      case .taken(let taken): lock = taken
      case .held(let process): throw UninstallError.running(process)
      }
    }
    var takesData = arguments.has("--data")
    if !arguments.has("--yes") {
      guard terminal.readsFromPerson else { throw UninstallError.notConfirmed }
      terminal.note(say("This goes: \(tree.path)") + "\n" + say("Type \"yes\" to remove the program:"))
      guard try InputLine.next() == "yes" else { throw UninstallError.notConfirmed }
      if !takesData, !data.isEmpty {
        terminal.note(say("Your documents, conversations, models and settings lie in:"))
        for folder in data { terminal.note("  \(folder.path)") }
        terminal.note(say("Type \"everything\" to remove them too; Enter keeps them:"))
        takesData = try InputLine.next() == "everything"
      }
    }
    let service = UserService.file
    let starts = try UserService.isInstalled && String(contentsOf: service, encoding: .utf8).contains(tree.path + "/")
    // What upgrades have kept or left is the program's too.
    let others = [program.previous.folder, program.part.folder, program.unpressed].filter {
      FileManager.default.fileExists(atPath: $0.path)
    }
    let gone = [tree] + others + (starts ? [service] : []) + (takesData ? data : [])
    for place in gone { try FileManager.default.removeItem(at: place) }
    withExtendedLifetime(lock) {}
    for place in gone {
      try context.line(["removed": place.path], say("Removed: \(place.path)"))
    }
  }

  /// The folder that the tar file became, and nothing of the person's lies in.
  private static func unpacked(_ programs: URL) throws -> ProgramTree {
    switch try ProgramTree.standing(programs) {
    case .tree(let tree, _): return tree
    case .package: throw UninstallError.package
    case .elsewhere(let place): throw UninstallError.notUnpacked(place)
    case .shared(let place, let others): throw UninstallError.shared(place, others)
    }
  }
}

enum UninstallError: Explained {
  case notConfirmed
  case package
  case notUnpacked(String)
  case shared(String, [String])
  case named(String)
  case running(Int32?)

  var code: String { "uninstall_refused" }
  var message: String {
    switch self {
    case .notConfirmed: say("Nothing was removed: it was not confirmed.")
    case .package: say("The system's package manager has installed this program.")
    case .notUnpacked(let place): say("\(place) was not unpacked from the tar file.")
    case .shared(let place, let others): say("\(place) also holds \(others.sorted().joined(separator: ", ")).")
    case .named(let place): say("\(place) was named by you and may hold more than this program's files.")
    case .running(let process): process.map { say("The program runs (process \($0)).") } ?? say("The program runs.")
    }
  }
  var remedy: String? {
    switch self {
    case .notConfirmed: say("Type the word as it stands, or give --yes.")
    case .package: "sudo apt remove libera"
    case .notUnpacked: say("Delete the checkout's folder instead.")
    case .shared: say("Move that away first, or delete bin/libera, lib/libera and what share holds of libera yourself.")
    case .named: say("Delete that folder yourself.")
    case .running: say("End it first: libera serve with Ctrl-C, or systemctl --user stop libera.")
    }
  }
}
