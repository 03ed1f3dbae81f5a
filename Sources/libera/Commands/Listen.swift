import Assistant
import Core
import Foundation

enum ListenCommand: Command {
  static let name = "listen"
  static let summary = "words while you talk: the microphone, or sound on standard input"
  static let examples = [
    "libera listen", "libera listen --language en --on",
    "arecord -t raw -f S16_LE -r 16000 | libera listen - --rate 16000",
  ]
  static let usage = "[-]"
  static let options: [Arguments.Option] = [
    .value("--language", "CODE", "en, de, …, or auto to find it from the sound"),
    .value("--rate", "NUMBER", "samples per second of raw sound on standard input (16000)"),
    .flag("--on", "go on through silence until Ctrl-C"),
  ]

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    try arguments.only(0...1, "-")
    let fromInput = arguments.words == ["-"]
    if !fromInput, let word = arguments.words.first { throw UsageError.tooMany(word) }
    let rate = try arguments.value("--rate", as: Int.self) ?? 16_000
    var input = Listen.Input(language: arguments.text("--language"), holds: fromInput || arguments.has("--on"))
    input.rate = nil
    // A microphone is a service of the system, which cannot be reached any more from inside.
    let source: any SoundSource = fromInput ? try PipedSound(rate: rate) : try Microphone()
    let door = try await context.door()
    if !fromInput, !context.json { context.terminal.progress(say("Listening. Ctrl-C ends it.")) }
    try await Interrupt.stopping({ source.stop() }) {
      try await listen(input, door, source, HeardLine(context))
    }
  }

  private static func listen(
    _ input: Listen.Input, _ door: Door, _ source: any SoundSource, _ line: HeardLine
  ) async throws {
    var feeding: Task<Void, any Error>?
    defer { feeding?.cancel() }
    for try await event in door.call(Listen.self, input) {
      if event.opened == true {
        feeding = Task { try await feed(source, input.session, door) }
      }
      if event.stopped == true || event.done != nil { source.stop() }
      try line.show(event)
    }
    try await feeding?.value
  }

  private static func feed(_ source: any SoundSource, _ session: String, _ door: Door) async throws {
    var sent = 0
    var isOver = false
    while !isOver {
      let sound = try await source.next()
      isOver = sound == nil
      let piece = Hear.Input(session: session, at: sent, sound: sound ?? Data(), end: isOver)
      do {
        for try await answer in door.call(Hear.self, piece) { sent = answer.received }
      } catch  where RemoteError(error).code == "dictation_over" { return }
    }
  }
}

/// One line that settles: live words while somebody talks, and the settled text in their place.
private struct HeardLine {
  private let terminal: Terminal
  private let json: Bool

  init(_ context: Context) {
    terminal = context.terminal
    json = context.json
  }

  func show(_ event: Listen.Event) throws {
    if json { return terminal.line(try JSON.line(event)) }
    for limit in event.limits ?? [] {
      terminal.note("\(told(limit.what)): \(told(limit.value)) – \(told(limit.reason))")
    }
    if let partial = event.partial {
      let (stays, changes) = fit(partial.confirmed, partial.tail)
      terminal.progress(stays + (stays.isEmpty || changes.isEmpty ? "" : " ") + terminal.styledNote(changes, .quiet))
    } else if let final = event.final {
      terminal.progress("")
      if !final.text.isEmpty { terminal.line(final.text) }
      if let remark = final.remark { terminal.note("  \(told(remark))") }
    } else if event.done != nil {
      terminal.progress("")
    }
  }

  /// The end of what was said, as far as one line holds it: a line that wraps cannot be written over.
  private func fit(_ confirmed: String, _ tail: String) -> (String, String) {
    let width = max(20, terminal.columns - 2)
    let changes = String(tail.suffix(width))
    return (String(confirmed.suffix(max(0, width - changes.count))), changes)
  }
}
