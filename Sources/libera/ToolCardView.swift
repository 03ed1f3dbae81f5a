import Assistant
import Core
import Foundation

/// A call of a tool as a terminal shows it: what is called and what it is told, then a question, then what the tool says.
struct ToolCardView: Sendable {
  let door: Door
  let context: Context
  /// What is said where nobody can be asked.
  let otherwise: String
  private var terminal: Terminal { context.terminal }

  func cards(_ input: ProposeToolCall.Input) async throws -> [ToolCard] {
    try await door.all(ProposeToolCall.self, input)
  }

  /// Shows the card and asks for what is missing and whether to call it; nil where it is not to be called. A tool that a terminal has
  /// allowed for good acts at once where nothing is missing.
  func agree(to card: ToolCard, _ given: [String: String] = [:], agreed: Bool = false) throws -> CallTool.Input? {
    var values = given
    let missing = card.missing.filter { values[$0] == nil }
    let isAsked = terminal.readsFromPerson && !context.json
    if !agreed, card.asks || isAsked { try show(card, values) }
    if agreed || !card.asks && (missing.isEmpty || !isAsked) {
      return CallTool.Input(id: card.id, values: values, confirmed: agreed)
    }
    guard isAsked else { return nil }
    for name in missing {
      terminal.note("\(Visible.line(name)):")
      values[name] = try InputLine.next() ?? ""
    }
    if card.asks {
      terminal.note(say("Call it? [y, N]"))
      guard Consent.isYes(try InputLine.next()) else {
        terminal.line(say("Nothing was called."))
        return nil
      }
    }
    return CallTool.Input(id: card.id, values: values, confirmed: card.asks)
  }

  private func show(_ card: ToolCard, _ values: [String: String]) throws {
    if context.json { return terminal.line(try JSON.line(card)) }
    terminal.line("\(card.server): \(Visible.line(card.tool.label))")
    if !card.tool.description.isEmpty {
      terminal.note(terminal.styledNote("  \(Visible.line(card.tool.description).prefix(300))", .quiet))
    }
    let reach = [
      card.network ? say("can reach the network") : nil,
      card.writable.isEmpty ? nil : say("can write to \(card.writable.joined(separator: ", "))"),
    ].compactMap(\.self)
    if !reach.isEmpty {
      terminal.note(terminal.styledNote("  " + say("It \(reach.joined(separator: " \(say("and")) "))."), .quiet))
    }
    for field in card.tool.fields {
      let written = try card.arguments[field.name].map {
        try $0.text ?? String(decoding: JSON.encode($0), as: UTF8.self)
      }
      guard let value = values[field.name] ?? written else { continue }
      terminal.line("  \(Visible.line(field.name)): \(Visible.line(value))")
    }
    let open = card.missing.filter { values[$0] == nil }
    if !open.isEmpty {
      terminal.note("  " + say("Needed and not said: \(open.map(Visible.line).joined(separator: ", "))"))
    }
    if !terminal.readsFromPerson { terminal.note("  " + say("Nothing was called; \(told(otherwise))")) }
  }

  func call(_ input: CallTool.Input) async throws {
    for try await event in door.call(CallTool.self, input) {
      if context.json {
        terminal.line(try JSON.line(event))
        continue
      }
      if let told = event.told, terminal.showsProgress { terminal.note(told) }
      guard let outcome = event.outcome else { continue }
      if outcome.failed { terminal.note(say("The tool says that it failed:")) }
      terminal.line(outcome.text)
      if outcome.isCut { terminal.note(say("It said more, which is not shown.")) }
      for other in outcome.others { terminal.note(say("It also gave what is not shown: \(other)")) }
    }
  }
}
