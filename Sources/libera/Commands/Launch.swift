import Assistant
import Core
import Foundation
import Models

/// How other programs are pointed at this one. It shows, and where it is asked to writes a file that was not there: theirs are theirs.
enum LaunchCommand: Command {
  static let name = "launch"
  static let summary = "how to point another program at the server: its address, key and model"
  static let examples = ["libera launch", "libera launch aider", "libera launch aider --write .aider.conf.yml"]
  static let usage = "[PROGRAM]"
  static let options: [Arguments.Option] = [
    .value("--pack", "ID", "name this pack; libera answers from the documents"),
    .value("--write", "FILE", "write it into a new file, with a key of its own"),
  ]
  /// Completed like verbs, though none is needed.
  static let verbs = Launching.programs.map(\.name)

  static func writes(_ arguments: Arguments) -> [URL] {
    arguments.text("--write").map { [URL(filePath: $0).standardizedFileURL.deletingLastPathComponent()] } ?? []
  }

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    try arguments.only(0...1, "")
    let terminal = context.terminal
    guard let name = arguments.words.first else {
      for program in Launching.programs { terminal.line("\(program.name.padded(to: 12)) \(told(program.what))") }
      terminal.note(say("libera launch PROGRAM shows what to set."))
      return
    }
    guard let program = Launching.programs.first(where: { $0.name == name }) else {
      throw UsageError.notOneOf("The program", name, Launching.programs.map(\.name))
    }
    let door = try await context.door()
    var address: String?
    for try await answer in door.call(ShowPage.self, Nothing()) {
      address = answer.page.map { String($0.prefix { $0 != "#" }) }
    }
    let packs = try await door.all(ListPacks.self, .init()).filter { $0.installed != nil }
    func first(_ kind: Pack.Kind) -> String? { packs.filter { $0.pack.kind == kind }.map(\.pack.id).first }
    let place = Launching.Place(
      address: address ?? "http://127.0.0.1:4242/", program: CommandLine.arguments.first ?? "libera",
      chat: arguments.text("--pack") ?? first(.chat) ?? "libera", embedder: first(.embed))
    if let file = arguments.text("--write") {
      return try await write(program, place, to: URL(filePath: file), door, context)
    }
    if context.json {
      terminal.line(
        try JSON.line([
          "address": place.base, "model": place.chat, "rights": program.rights, "set": program.words(place),
        ]))
      return
    }
    terminal.line(program.words(place))
    terminal.note("")
    if !program.rights.isEmpty {
      terminal.note(
        say("KEY is what this prints, once: libera keys add \(program.name) --rights \(program.rights)"))
    }
    if address == nil, !program.rights.isEmpty {
      terminal.note(say("No server runs now: start one with libera serve."))
    }
  }

  private static func write(
    _ program: Launching.Program, _ place: Launching.Place, to file: URL, _ door: Door, _ context: Context
  ) async throws {
    let descriptor = open(file.path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw errno == EEXIST ? UsageError.isThere(file.path) : FileError.refused(file.path, reason: systemReason())
    }
    defer { close(descriptor) }
    var place = place
    do {
      if !program.rights.isEmpty {
        let rights = Set(program.rights.split(separator: ",").compactMap { Right(rawValue: String($0)) })
        for try await made in door.call(AddKey.self, .init(name: program.name, rights: rights)) { place.key = made.key }
      }
      guard Descriptor.write(Data((program.file(place) + "\n").utf8), to: descriptor) else {
        throw FileError.refused(file.path, reason: systemReason())
      }
    } catch {
      unlink(file.path)
      throw error
    }
    if context.json { return context.terminal.line(try JSON.line(["file": file.path])) }
    context.terminal.line(say("Written: \(file.path)"))
    if !program.rights.isEmpty {
      context.terminal.note(say("It holds a key, which libera keys revoke \(program.name) takes back."))
    }
    if let more = program.then(place) { context.terminal.note(say("Then:") + " " + more) }
  }
}
