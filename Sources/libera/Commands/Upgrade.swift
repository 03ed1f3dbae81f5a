import Assistant
import Core
import Foundation
import Releases

/// Another version in place of the program that was unpacked from the tar file. What a package manager has installed is the package
/// manager's to upgrade.
enum UpgradeCommand: Command {
  static let name = "upgrade"
  static let summary = "put another version in place of the program that was unpacked from the tar file, or go back"
  static let examples = [
    "libera upgrade --check libera-0.3.0-linux-x86_64.tar.gz",
    "libera upgrade https://HOST/libera-0.3.0-linux-x86_64.tar.gz", "libera upgrade --back",
  ]
  static let usage = "FILE_OR_URL"
  static let options: [Arguments.Option] = [
    .flag("--check", "compare and verify, and change nothing"),
    .flag("--back", "return to the version that was there before"),
    .value("--key", "FILE", "the publisher's public key (minisign), where the program carries none"),
    .value("--sha256", "HASH", "the checksum, where none lies beside the file"),
    .flag("--yes", "do not ask"),
  ]
  static let entersHouse = false

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    try arguments.only(arguments.has("--back") ? 0...0 : 1...1, "The tar file, or its address,")
    let tree = try ProgramTree.around(Installation.programs)
    if arguments.has("--back") { return try await back(tree, arguments, context) }
    let checksum = arguments.text("--sha256")
    if let checksum, !SHA256.isHash(checksum) { throw UsageError.badValue("--sha256", checksum) }
    let upgrade = try Upgrade(
      to: arguments.words[0], tree: tree, key: arguments.text("--key"), folders: context.folders)
    guard upgrade.comparison == .newer || arguments.has("--check") else {
      throw ReleaseError.notNewer(upgrade.comparison, offered: upgrade.name.version, installed: upgrade.installed)
    }
    let telling = Self.telling(context)
    try await Interrupt.cancelling {
      let offer = try await upgrade.look(checksum: checksum, telling)
      context.terminal.progress("")
      try tell(offer.vouching, upgrade, context)
      if arguments.has("--check") { return }
      try confirm(say("Type \"yes\" to put it in place of \(upgrade.installed):"), arguments, context)
      try await upgrade.install(offer, telling)
      context.terminal.progress("")
      try tell(from: upgrade.installed, to: upgrade.name.version, tree, context)
      context.terminal.note(
        say("The version before is kept in \(tree.previous.folder.path); libera upgrade --back returns to it."))
    }
  }

  private static func back(_ tree: ProgramTree, _ arguments: Arguments, _ context: Context) async throws {
    let downgrade = try Downgrade(tree: tree, folders: context.folders)
    try confirm(
      say("Type \"yes\" to return from \(downgrade.installed) to \(downgrade.before):"), arguments, context)
    try await downgrade.run(telling(context)) {
      context.terminal.note(
        say("\(downgrade.before) cannot read the vault as it is now: the copy from before takes its place.") + " "
          + say("What was stored since then is kept beside it, in vault.sqlite.after-migration."))
      try confirm(say("Type \"yes\" to go on:"), arguments, context)
    }
    context.terminal.progress("")
    try tell(from: downgrade.installed, to: downgrade.before, tree, context)
  }

  private static func confirm(_ question: String, _ arguments: Arguments, _ context: Context) throws {
    if arguments.has("--yes") { return }
    guard context.terminal.readsFromPerson else { throw ReleaseError.notConfirmed }
    context.terminal.note(question)
    guard try InputLine.next() == "yes" else { throw ReleaseError.notConfirmed }
  }

  private struct Looked: Encodable {
    var installed: String
    var offered: String
    var comparison: ReleaseComparison
    var sha256: String
    var key: String?
    var comment: String?
  }

  private static func tell(_ vouching: Vouching, _ upgrade: Upgrade, _ context: Context) throws {
    let terminal = context.terminal
    if context.json {
      let looked = Looked(
        installed: "\(upgrade.installed)", offered: "\(upgrade.name.version)", comparison: upgrade.comparison,
        sha256: vouching.sha256, key: vouching.signer?.key, comment: vouching.signer?.comment)
      return terminal.line(try JSON.line(looked))
    }
    terminal.note(
      say("Installed: \(upgrade.installed). Offered: \(upgrade.name.version), which is \(upgrade.comparison.words)."))
    terminal.note(say("SHA-256: \(vouching.sha256), as listed."))
    if let signer = vouching.signer {
      terminal.note(say("Signed by the publisher's key \(signer.key): \(signer.comment)"))
    } else {
      terminal.note(
        say("Not signed by anybody known here: it is as good as the place that the checksum came from."))
    }
  }

  private static func tell(
    from old: ReleaseVersion, to new: ReleaseVersion, _ tree: ProgramTree, _ context: Context
  ) throws {
    let words = ["from": "\(old)", "to": "\(new)", "place": tree.folder.path]
    try context.line(words, say("LiberaGPT \(new) is in place of \(old): \(tree.folder.path)"))
  }

  private static func telling(_ context: Context) -> Upgrade.Telling {
    { step in
      let terminal = context.terminal
      switch step {
      case .progress(let words, let share):
        if !context.json { terminal.progress(share.map { "\(told(words)) \(Int($0 * 100)) %" } ?? told(words)) }
      case .waiting(let answers):
        terminal.progress("")
        terminal.note(
          say(answers, one: "The server finishes \(answers) answer.", many: "The server finishes \(answers) answers.")
            + " " + say("Ctrl-C gives this up, and it goes on as before; whoever ends the server waits for none."))
      case .ended(let process):
        terminal.progress("")
        terminal.note(say("The server (process \(process)) was asked to end, and did. Start it again:"))
        terminal.note("  " + say("libera serve, or systemctl --user start libera"))
      }
    }
  }
}

extension ReleaseComparison {
  fileprivate var words: String {
    switch self {
    case .newer: say("newer")
    case .same: say("the same")
    case .older: say("older")
    }
  }
}
