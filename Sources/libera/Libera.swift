import Core
import Foundation
import Safety

@main
struct Libera {
  static let commands: [any Command.Type] = [
    HelpCommand.self, ServeCommand.self, LaunchCommand.self, MCPCommand.self, ChatCommand.self, AskCommand.self,
    ImportCommand.self,
    SearchCommand.self,
    OpenCommand.self, DocumentsCommand.self, CollectionsCommand.self, ConversationsCommand.self, PacksCommand.self,
    DataCommand.self, BackupCommand.self, RestoreCommand.self,
    TranscribeCommand.self, ListenCommand.self, TimeCommand.self, UnderstandCommand.self, DoCommand.self,
    ActionsCommand.self, AgendaCommand.self, RemindersCommand.self, RulesCommand.self, ConnectorsCommand.self,
    ToolsCommand.self,
    ServiceCommand.self,
    DoctorCommand.self,
    GovernorCommand.self, ProvidersCommand.self, TuneCommand.self,
    SettingsCommand.self, LogCommand.self, KeysCommand.self, SessionsCommand.self, VersionCommand.self,
    LicencesCommand.self, UpgradeCommand.self, UninstallCommand.self,
    CompletionsCommand.self,
  ]

  static func main() async {
    Seal.closeMemory()
    Heap.useOne()
    signal(SIGPIPE, SIG_IGN)
    umask(0o077)
    var words = commandFirst(typedWords())
    LocaleNames.replaceImpossible()
    // Its tables are read here, before the process seals itself.
    _ = Tongue.current
    if words[0] == "--help" || words[0] == "-h" { words = ["help"] }
    if words[0] == "--version" { words[0] = "version" }
    let json = words.contains("--json")
    do {
      let name = words.removeFirst()
      guard let command = commands.first(where: { $0.name == name }) else { throw UsageError.unknownCommand(name) }
      if words.contains("--help") || words.contains("-h") {
        try await HelpCommand.run(
          Arguments([name], accepting: []), Context(Arguments([], accepting: []), entersHouse: false))
        return
      }
      let arguments = try Arguments(words, accepting: command.options + Context.options)
      try command.prepare(arguments, Context.folders(arguments))
      let context = try Context(arguments, entersHouse: command.entersHouse, writable: command.writes(arguments))
      do { try await command.run(arguments, context) } catch {
        report(error, json: json)
        // Ends at once where the person stopped it.
        await context.leave(by: error is CancellationError ? .now : nil)
        exit(ExitCode(of: error).rawValue)
      }
      await context.leave()
    } catch {
      report(error, json: json)
      exit(ExitCode(of: error).rawValue)
    }
  }

  /// The words after the program's name. One that is no UTF-8 can only be a file's name and is written as such.
  static func typedWords() -> [String] {
    (1..<max(1, Int(CommandLine.argc))).compactMap { CommandLine.unsafeArgv[$0] }.map { word in
      let bytes = UnsafeRawBufferPointer(start: word, count: strlen(word))
      return String(validating: bytes, as: UTF8.self) ?? FileName.text(bytes)
    }
  }

  /// What every command accepts may also stand before its name.
  private static func commandFirst(_ words: [String]) -> [String] {
    var place = 0
    while place < words.count {
      let parts = words[place].split(separator: "=", maxSplits: 1)
      guard let option = Context.options.first(where: { $0.name == parts.first ?? "" }) else { break }
      place += option.value == nil || parts.count == 2 ? 1 : 2
    }
    // No command at all: with a person there a conversation begins.
    guard place < words.count else { return [Terminal().readsFromPerson ? "chat" : "help"] + words }
    guard place > 0 else { return words }
    return [words[place]] + words[..<place] + words[(place + 1)...]
  }

  static func report(_ error: any Error, json: Bool) {
    if error is ToldFailure { return }
    let remote = RemoteError(error)
    let terminal = Terminal()
    if json, let line = try? JSON.line(["error": remote]) {  // a RemoteError is three strings: it always encodes
      terminal.note(line)
    } else if remote.code != "cancelled" {
      let told = Tongue.current.told(remote)
      terminal.note("\(terminal.styledNote("libera:", .problem)) \(told.message)")
      if let remedy = told.remedy { terminal.note("  \(remedy)") }
      if let said = told.said { terminal.note(terminal.styledNote("  \(said)", .quiet)) }
      // Without its own files the program has said so already.
      let troubles = try? Troubles(of: Installation())
      if troubles?.entry(for: remote.code) != nil {
        terminal.note(terminal.styledNote("  " + say("More: libera help \(remote.code)"), .quiet))
      }
    }
  }
}
