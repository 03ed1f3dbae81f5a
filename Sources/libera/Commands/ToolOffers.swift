import Assistant
import Core
import Foundation

/// What tool servers offer besides tools: texts that are read or taken into the library, and prepared questions.
struct ToolOffersView {
  let arguments: Arguments
  let door: Door
  let context: Context
  private var terminal: Terminal { context.terminal }
  private var server: String { arguments.words[1] }

  static func show(_ server: ListTools.Event, _ terminal: Terminal) {
    for resource in server.resources ?? [] {
      terminal.line("  \(say("text"))  \(Visible.line(resource.uri))  \(Visible.line(resource.label))")
    }
    for prompt in server.prompts ?? [] {
      let needs = prompt.arguments.map { $0.required ? $0.name : "[\($0.name)]" }.joined(separator: " ")
      terminal.line("  \(say("prompt"))  \(Visible.line(prompt.name))  \(Visible.line(needs))")
    }
  }

  func read() async throws {
    let input = ReadToolResource.Input(
      server: server, uri: arguments.words[2], conversation: arguments.text("--conversation"))
    for try await event in door.call(ReadToolResource.self, input) {
      if context.json {
        terminal.line(try JSON.line(event))
      } else if let outcome = event.outcome {
        terminal.line(outcome.text)
        if outcome.isCut { terminal.note(say("It is longer, which is not shown.")) }
        for other in outcome.others { terminal.note(say("It also holds what is not shown: \(other)")) }
      }
    }
  }

  /// A stranger's text in the library is evidence from then on, so a person agrees to each.
  func take() async throws {
    var input = ImportToolResource.Input(
      server: server, uri: arguments.words[2], collection: arguments.text("--collection"),
      confirmed: arguments.has("--yes"))
    if !input.confirmed, terminal.readsFromPerson, !context.json {
      terminal.note(
        say("Take \(Visible.line(input.uri)) of \(server) into the library, where answers may quote it? [y, N]"))
      guard Consent.isYes(try InputLine.next()) else { return terminal.line(say("Nothing was taken.")) }
      input.confirmed = true
    }
    for try await event in door.call(ImportToolResource.self, input) {
      context.json ? terminal.line(try JSON.line(event)) : ImportCommand.show(event, terminal)
    }
  }

  func prompt(_ values: [String: String]) async throws {
    let input = FillToolPrompt.Input(server: server, prompt: arguments.words[2], values: values)
    for try await event in door.call(FillToolPrompt.self, input) {
      terminal.line(context.json ? try JSON.line(event) : event.text)
      if event.cut, !context.json { terminal.note(say("It is longer, which is not shown.")) }
    }
  }
}
