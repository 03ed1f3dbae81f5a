import Assistant
import Core
import Foundation

enum BackupCommand: Command {
  static let name = "backup"
  static let summary = "everything but packs into one file"
  static let examples = ["libera backup libera.backup", "libera backup libera.backup --password"]
  static let usage = "FILE"
  static let options: [Arguments.Option] = [.flag("--password", "encrypt it; the password is asked for")]

  static func writes(_ arguments: Arguments) -> [URL] {
    arguments.words.prefix(1).map { URL(filePath: $0).standardizedFileURL.deletingLastPathComponent() }
  }

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    try arguments.only(1...1, "The file")
    let terminal = context.terminal
    let password = arguments.has("--password") ? try Password.ask(terminal, twice: true) : nil
    let target = URL(filePath: arguments.words[0]).standardizedFileURL
    let door = try await context.door()
    try await Interrupt.cancelling {
      // Whoever owns the house writes it among its own files; from there it is moved by us, who were told where.
      for try await event in door.call(BackUp.self, .init(password: password)) {
        if let share = event.progress { terminal.progress(say("backing up \(Int(share * 100)) %")) }
        if var done = event.done {
          try BackUp.move(URL(filePath: done.path), to: target)
          done.path = target.path
          try tell(done, say("written to \(target.path)"), context)
        }
      }
    }
  }

  static func tell(_ done: BackUp.Event.Done, _ what: String, _ context: Context) throws {
    context.terminal.progress("")
    if context.json { return context.terminal.line(try JSON.line(done)) }
    let manner = done.encrypted ? say("encrypted") : say("not encrypted")
    context.terminal.note(say("\(done.files) files") + ", \(Words.bytes(done.bytes)), \(manner), \(what).")
    for remark in done.remarks { context.terminal.note(told(remark)) }
  }
}

enum RestoreCommand: Command {
  static let name = "restore"
  static let summary = "bring a backup back, here or on another machine"
  static let examples = ["libera restore libera.backup"]
  static let usage = "FILE"
  static let options: [Arguments.Option] = [
    .flag("--replace", "replace what is here now"),
    .flag("--password", "the backup is encrypted; the password is asked for"),
  ]

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    try arguments.only(1...1, "The file")
    let password = arguments.has("--password") ? try Password.ask(context.terminal, twice: false) : nil
    let file = URL(filePath: arguments.words[0]).standardizedFileURL
    let done = try await context.restore(file, password: password, replacing: arguments.has("--replace"))
    try BackupCommand.tell(done, say("verified and restored"), context)
  }
}

/// A password comes from the person, from LIBERA_PASSWORD or from standard input; never from the command line, where every
/// other program could read it.
enum Password {
  static func ask(
    _ terminal: Terminal, twice: Bool, environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws -> String {
    if let given = environment["LIBERA_PASSWORD"] { return try checked(given) }
    guard terminal.readsFromPerson else { return try checked(InputLine.next() ?? "") }
    let first = try checked(unseen(say("Password:") + " "))
    if twice, try unseen(say("Again:") + " ") != first { throw PasswordError.different }
    return first
  }

  private static func checked(_ password: String) throws -> String {
    guard !password.isEmpty else { throw PasswordError.empty }
    return password
  }

  private static func unseen(_ prompt: String) throws -> String {
    var before = termios()
    guard tcgetattr(STDIN_FILENO, &before) == 0 else { throw PasswordError.empty }
    var without = before
    without.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &without)
    defer { tcsetattr(STDIN_FILENO, TCSAFLUSH, &before) }
    FileHandle.standardError.write(Data(prompt.utf8))
    defer { FileHandle.standardError.write(Data("\n".utf8)) }
    return try InputLine.next() ?? ""
  }
}

enum PasswordError: Explained {
  case empty, different
  var code: String { "password_refused" }
  var message: String {
    switch self {
    case .empty: say("No password was given.")
    case .different: say("The two passwords differ.")
    }
  }
  var remedy: String? { say("Type it, set LIBERA_PASSWORD, or write it to standard input.") }
}
