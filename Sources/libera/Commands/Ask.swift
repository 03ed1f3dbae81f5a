import Assistant
import Core
import Foundation
import Storage

/// `libera ask`: one question from the command line to the operation `Ask`, and its answer on the terminal.
enum AskCommand: Command {
  static let name = "ask"
  static let summary = "one question, one answer with its evidence"
  static let examples = [
    #"libera ask "When is the rent due?""#, #"libera ask "What does this say about notice?" --attach lease.pdf"#,
    #"libera ask "Who wrote this?" --json"#,
  ]
  static let usage = "\"QUESTION\""
  static let options: [Arguments.Option] = [
    .value("--mode", "fast|deep", "how much to read and write"),
    .value("--collection", "NAME", "ask only these documents"),
    .value("--conversation", "ID", "go on with this conversation"),
    .value("--attach", "FILE", "ask this file; it is kept with the conversation and not in the library"),
    .value("--task", "KIND", "documents, whole_document, transform or talk, instead of recognising it")
      .among(TurnKind.self),
    .value("--provider", "NAME", "platform, local, extractive or templates, instead of the first that can")
      .among(ProviderKind.self),
    .value("--pack", "ID", "answer with this pack"),
  ]

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    try arguments.only(1...1, "The question")
    guard !arguments.words[0].allSatisfy(\.isWhitespace) else { throw UsageError.missing("The question") }
    var input = Ask.Input(question: arguments.words[0])
    input.mode = try arguments.choice("--mode", of: Mode.self)
    input.collection = arguments.text("--collection")
    input.conversation = arguments.text("--conversation")
    input.task = try arguments.choice("--task", of: TurnKind.self)
    input.provider = try arguments.choice("--provider", of: ProviderKind.self)
    input.pack = arguments.text("--pack")
    let file = arguments.text("--attach")
    if file != nil { input.conversation = input.conversation ?? UUID().uuidString.lowercased() }
    let door = try await context.door()
    try await door.holds(input.collection)
    try await Interrupt.cancelling { [input] in
      var question = input
      if let file { question.attachments = try await attach(file, to: input.conversation, door) }
      var printer = AnswerPrinter(context, insists: input.pack != nil || input.provider != nil)
      for try await event in door.call(Ask.self, question) { try printer.show(event) }
    }
  }

  /// Reads a file into a conversation; the name that the question lists it by.
  static func attach(_ path: String, to conversation: String?, _ door: Door) async throws -> [String] {
    let file = URL(filePath: path).standardizedFileURL
    let input = Import.Input(paths: [file.path], conversation: conversation)
    for try await event in door.call(Import.self, input) where event.event == .failed {
      throw AttachError(name: file.lastPathComponent, reason: event.reason ?? "")
    }
    return [file.lastPathComponent]
  }
}

extension Door {
  /// Whoever asks a collection that there is none of would be answered without documents.
  func holds(_ collection: String?) async throws {
    guard let collection else { return }
    let known = try await all(ListCollections.self, Nothing())
    if !known.contains(where: { $0.collection == collection }) {
      throw StorageError.missing(kind: "collection", id: collection)
    }
  }
}

struct AttachError: Explained {
  var name: String
  var reason: String
  var code: String { "attachment_failed" }
  var message: String { say("\(name) cannot be attached: \(told(reason))") }
  var remedy: String? { say("Nothing was asked. Mend the file or ask without it.") }
}

/// Shows an answer as it comes: streamed on a terminal, plain in a pipe, one object for machines.
struct AnswerPrinter {
  let context: Context
  /// Whether a pack or a provider was asked for by name: that another one answered is then told in a pipe too.
  let insists: Bool
  /// What is done before the first word, as the terminal shows it.
  private var step = ""
  /// Of the sentences quoted together, the one that answers.
  private var answering: String?
  /// The words that answer, with which the answer begins.
  private var short: String?
  /// Whether citations have numbers, by which a conversation opens them, in place of their names.
  let numbers: Bool
  private var terminal: Terminal { context.terminal }

  init(_ context: Context, insists: Bool = false, numbers: Bool = false) {
    self.context = context
    self.insists = insists
    self.numbers = numbers
  }

  /// What carries a sentence; without any, what is nearest.
  static func cited(_ record: AnswerRecord) -> [Citation] {
    let carrying = Set(record.sentences.flatMap(\.support))
    return record.citations.enumerated().filter { carrying.isEmpty || carrying.contains($0.offset) }.map(\.element)
  }

  mutating func show(_ event: Ask.Event) throws {
    if context.json {
      if let record = event.done { terminal.line(try JSON.line(record)) }
      return
    }
    let next = event.thought != nil ? say("thinking it over") : event.reading.map { say("reading \($0) tokens") } ?? ""
    if next != step {
      step = next
      terminal.progress(next)
    }
    if let loading = event.loading { terminal.progress(loading < 1 ? say("loading \(Int(loading * 100)) %") : "") }
    if let notice = event.notice { terminal.note(terminal.styledNote("  \(told(notice))", .quiet)) }
    // They come in the middle of a line of the answer.
    if terminal.isInteractive, event.changes?.isEmpty == false { terminal.note("") }
    for change in event.changes ?? [] {
      terminal.note(
        terminal.styledNote(
          "  "
            + say("\(told(change.what)): \(change.from) → \(change.to), because \(told(change.reason))"), .warning))
    }
    if let completed = event.completed {
      terminal.note(terminal.styledNote(say("understood as: \(completed)"), .quiet))
    }
    if let sentence = event.sentence, sentence.answers == true { answering = sentence.text }
    short = event.short ?? short
    if let piece = event.piece { terminal.write(standingOut(in: piece)) }
    if let replaced = event.replaced {
      terminal.note("\n" + say("That is not in your documents; what they say stands in its place:"))
      terminal.write("\n" + replaced)
    }
    if let record = event.done { finish(record) }
  }

  /// With the words that answer in bold, or where there are none their sentence. A quotation is written in one piece.
  private func standingOut(in piece: String) -> String {
    guard let answering = short ?? answering, let place = piece.place(of: answering) else { return piece }
    return piece.replacingCharacters(in: place, with: terminal.styled(answering, .bold))
  }

  /// About an answer: below it where a person looks; in a pipe the answer stands alone.
  private func tell(_ text: String, _ style: Terminal.Style) {
    if terminal.isInteractive {
      terminal.line(terminal.styled(text, style))
    } else {
      terminal.note(terminal.styledNote(text, style))
    }
  }

  private func finish(_ record: AnswerRecord) {
    if !record.answer.hasSuffix("\n") { terminal.line() }
    for (place, citation) in Self.cited(record).enumerated() {
      let source = Visible.line(citation.title) + (citation.page.map { " · " + say("p. \($0)") } ?? "")
      tell(numbers ? "  \(place + 1)  \(source)" : "  \(source) · libera open \(citation.id)", .accent)
    }
    for sentence in record.sentences where !sentence.supported && record.retrievalUsed && !record.abstained {
      tell("  " + say("not in your documents: \(sentence.text)"), .warning)
    }
    if let told = record.told {
      tell("  " + say("what \(told.map(Visible.line).joined(separator: ", ")) said is checked by nobody"), .warning)
    }
    if record.finding == .probably, record.provider != ProviderKind.extractive.rawValue {
      tell("  " + say("it is not sure that your documents answer this"), .warning)
    }
    for drop in record.dropped where drop.what == DropNote.rest {
      terminal.note(terminal.styledNote(say("The answer ends here: \(told(drop.reason))"), .warning))
    }
    guard terminal.isInteractive else {
      for limit in record.limits where insists && limit.what == LimitNote.provider {
        terminal.note(terminal.styledNote(Self.words(limit), .warning))
      }
      return
    }
    var facts = [record.mode.rawValue, record.pack ?? record.provider]
    if record.retrievalUsed {
      let count = record.passagesConsulted
      facts.append(say(count, one: "\(count) passage", many: "\(count) passages"))
    }
    if let first = record.timings.firstTokenMs { facts.append(say("first word \(Words.duration(ms: first))")) }
    if record.provider == ProviderKind.local.rawValue, let speed = record.timings.tokensPerSecond {
      facts.append(say("\(Int(speed)) tokens/s"))
    }
    if let load = record.timings.loadMs { facts.append(say("loading \(Words.duration(ms: load))")) }
    if let energy = record.timings.tokensPerJoule { facts.append(say("\(Words.decimal(energy)) tokens/joule")) }
    if record.stopped { facts.append(say("stopped")) }
    terminal.line(terminal.styled("  " + facts.joined(separator: " · "), .quiet))
    for limit in record.limits {
      terminal.line(terminal.styled("  " + Self.words(limit), .quiet))
    }
    for drop in record.dropped where drop.what != DropNote.rest {
      terminal.line(
        terminal.styled("  " + say("left out: \(told(drop.what)), because \(told(drop.reason))"), .quiet))
    }
  }

  private static func words(_ limit: LimitNote) -> String {
    say("\(told(limit.what)): \(told(limit.value)), because \(told(limit.reason))")
  }
}
