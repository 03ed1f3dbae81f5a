import Assistant
import Core
import Foundation
import Models

enum PacksCommand: Command {
  static let name = "packs"
  static let summary = "models: list, show, pull, install, import, verify, upgrade, remove, fit, smoke"
  static let examples = [
    "libera packs list", "libera packs pull smollm2-360m-instruct-q8_0", "libera packs install libera-models.tar",
  ]
  static let usage =
    "list | show ID | pull ID... | install BUNDLE | import FILE | verify [ID] | upgrade | remove ID | fit ID | smoke ID"
  static let options: [Arguments.Option] = [
    .value("--context", "TOKENS", "fit: the context to judge by"),
    .flag("--defaults", "pull: the packs that the program starts with"),
  ]

  /// A repository that a person names here may be fetched from, now and later.
  static func prepare(_ arguments: Arguments, _ folders: Folders) throws {
    guard arguments.words.first == "pull" else { return }
    let named = try arguments.words.dropFirst().filter { $0.hasPrefix(HubReference.prefix) }.map { word in
      guard let reference = HubReference(word) else { throw UsageError.badValue("The pack", word) }
      return reference.repository
    }
    let settings = try Settings(over: folders.settings)
    var permissions = try Permissions.read(folders.permissions) ?? Permissions(offline: settings.offline)
    let known = permissions.repositories ?? []
    let new = Set(named).subtracting(known).sorted()
    guard !new.isEmpty else { return }
    let list = try JSON.line(known + new)
    permissions = Permissions(of: try permissions.governing(settings).setting("repositories", to: list))
    try permissions.write(to: folders.permissions)
  }

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    let (verb, ids) = (arguments.words.first ?? "list", Array(arguments.words.dropFirst()))
    let door = try await context.door()
    try await run(verb, ids, arguments, PackView(door: door, context: context))
  }

  private static func run(_ verb: String, _ ids: [String], _ arguments: Arguments, _ view: PackView) async throws {
    switch (verb, ids.count) {
    case ("list", 0): try await view.list()
    case ("show", 1): try await view.show(ids[0])
    case ("pull", _) where arguments.has("--defaults") != ids.isEmpty:
      throw UsageError.missing("The pack's id, or --defaults,")
    case ("pull", _): try await view.pull(ids)
    case ("import", 1): try await view.take(ids[0])
    case ("install", 1): try await view.install(ids[0])
    case ("verify", 0...1): try await view.verify(ids.first)
    case ("upgrade", 0): try await view.upgrade()
    case ("remove", 1): try await view.remove(ids[0])
    case ("fit", 1):
      let tokens = try arguments.value("--context", as: Int.self)
      if let tokens, tokens < 1 { throw UsageError.badValue("--context", "\(tokens)") }
      try await view.fit(ids[0], tokens: tokens)
    case ("smoke", 1): try await view.smoke(ids[0])
    case ("install", 0): throw UsageError.missing("The bundle's file")
    case ("show", 0), ("import", 0), ("remove", 0), ("fit", 0), ("smoke", 0): throw UsageError.missing("The pack's id")
    default: throw UsageError.unknownCommand("packs \(arguments.words.joined(separator: " "))")
    }
  }
}

/// What `packs` shows.
struct PackView {
  let door: Door
  let context: Context
  private var terminal: Terminal { context.terminal }

  private func statuses() async throws -> [PackStatus] {
    try await door.all(ListPacks.self, .init(language: Tongue.current.language))
  }

  func list() async throws {
    let all = try await statuses()
    if context.json {
      for status in all { terminal.line(try JSON.line(status)) }
      return
    }
    let width = all.map(\.pack.id.count).max() ?? 0
    for status in all {
      let state = status.installed == nil ? "" : status.verified ? say("installed") : say("installed, to be verified")
      let fit = status.fit.fits ? "" : say("does not fit")
      terminal.line(
        [
          terminal.styled(status.pack.id.padded(to: width), status.installed == nil ? .quiet : .bold),
          status.pack.kind.rawValue.padded(to: 6), Words.bytes(status.pack.bytes).padded(to: 7),
          status.pack.licence.padded(to: 12), [state, fit].filter { !$0.isEmpty }.joined(separator: ", "),
        ].joined(separator: "  ").trimmingSuffixSpace())
    }
  }

  func show(_ id: String) async throws {
    let all = try await statuses()
    guard let status = all.first(where: { $0.pack.id == id }) else {
      throw PackError.unknownPack(id, all.map(\.pack.id))
    }
    guard !context.json else { return terminal.line(try JSON.line(status)) }
    terminal.line(terminal.styled(status.pack.name, .bold))
    let rows: [(String, String)] = [
      ("id", id), (say("kind"), status.pack.kind.rawValue), (say("parameters"), "\(status.pack.parameters)"),
      (say("quantisation"), status.pack.quantization), (say("download"), Words.bytes(status.fetchBytes)),
      ("SHA-256", status.sha256 ?? say("from the publisher, fetched with the pack")),
      (say("licence"), status.pack.licence), (say("context"), say("\(status.pack.context) tokens")),
      (say("installed"), status.installed.map { say("yes, in \($0.quantization)") } ?? say("no")),
      (say("verified"), status.verified ? say("yes") : say("no")), (say("fit"), told(status.fit.reason)),
    ]
    for (name, value) in rows { terminal.line("  \(name.padded(to: 13)) \(value)") }
    for source in status.pack.sources { terminal.line("  \(say("source").padded(to: 13)) \(source.name)") }
  }

  func pull(_ ids: [String]) async throws {
    let all = try await statuses()
    let wanted = ids.isEmpty ? all.filter { $0.pack.isDefault && $0.installed == nil }.map(\.pack.id) : ids
    for id in wanted { try await follow(PullPack.self, PackInput(id: id), id) }
  }

  func take(_ path: String) async throws {
    let absolute = URL(filePath: path).standardizedFileURL.path
    try await follow(ImportPack.self, ImportPack.Input(path: absolute), path)
  }

  func install(_ path: String) async throws {
    let absolute = URL(filePath: path).standardizedFileURL.path
    try await follow(InstallBundle.self, ImportPack.Input(path: absolute), "")
  }

  func verify(_ id: String?) async throws {
    let ids = if let id { [id] } else { try await statuses().filter { $0.installed != nil }.map(\.pack.id) }
    for id in ids { try await follow(VerifyPack.self, PackInput(id: id), id) }
  }

  func upgrade() async throws {
    let outdated = try await statuses().filter(\.upgradable).map(\.pack.id)
    if outdated.isEmpty, !context.json { terminal.note(say("Every installed pack is the catalogue's newest.")) }
    for id in outdated { try await follow(PullPack.self, PackInput(id: id), id) }
  }

  func remove(_ id: String) async throws {
    try await door.finish(RemovePack.self, PackInput(id: id))
    terminal.note(say("\(id) is removed."))
  }

  func fit(_ id: String, tokens: Int?) async throws {
    for try await fit in door.call(FitPack.self, PackInput(id: id, context: tokens)) {
      try context.line(fit, told(fit.reason))
    }
  }

  func smoke(_ id: String) async throws {
    for try await result in door.call(SmokePack.self, PackInput(id: id)) {
      guard !context.json else { return terminal.line(try JSON.line(result)) }
      terminal.line(say("loaded in \(Words.duration(ms: result.loadMs)) on \(result.backend)"))
      terminal.line(say("\(result.tokens) tokens at \(Int(result.tokensPerSecond))/s: \(result.text)"))
    }
  }

  private func follow<Of: Assistant.Operation>(_ operation: Of.Type, _ input: Of.Input, _ id: String) async throws
  where Of.Event == PackStep {
    let (door, terminal, json) = (door, terminal, context.json)
    try await Interrupt.cancelling {
      for try await event in door.call(operation, input) {
        if json { terminal.line(try JSON.line(event)) }
        if let progress = event.progress, !json { terminal.progress(Self.bar(id, progress)) }
        if let note = event.note, !json {
          terminal.progress("")
          terminal.note("  \(told(note))")
        }
        if let done = event.done, !json {
          terminal.progress("")
          terminal.note(
            ["\(done.pack.id): \(done.verified ? say("verified") : say("not verified"))", done.installed?.quantization]
              .compactMap(\.self).joined(separator: ", "))
        }
      }
    }
  }

  private static func bar(_ id: String, _ progress: PackStep.Progress) -> String {
    let filled = Int(max(0, min(1, progress.share)) * 24)
    var words = [
      id, String(repeating: "█", count: filled) + String(repeating: "░", count: 24 - filled), told(progress.step),
    ]
    if let done = progress.done, let total = progress.total {
      words.append(say("\(Words.bytes(done)) of \(Words.bytes(total))"))
    }
    if let speed = progress.speed { words.append("\(Words.bytes(Int64(speed)))/s") }
    if let left = progress.secondsLeft { words.append(say("\(Words.timeLeft(seconds: left)) left")) }
    return words.joined(separator: "  ")
  }
}
