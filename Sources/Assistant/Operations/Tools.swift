package import Core
import Foundation

/// The tool servers that a terminal has added, and what they offer.
package enum ListTools: Operation {
  package struct Input: Codable, Sendable {
    /// They are started to be asked what they offer.
    package var starts: Bool?
    /// This one alone.
    package var name: String?
    package init(starts: Bool? = nil, name: String? = nil) { (self.starts, self.name) = (starts, name) }
  }

  package struct Event: Codable, Sendable {
    package struct Tool: Codable, Sendable {
      package var name: String
      package var title: String?
      package var description: String
      package var asks: Bool
    }
    package var name: String
    /// Empty for one that runs elsewhere, at `address`.
    package var program: String
    package var address: String?
    package var arguments: [String]
    package var network: Bool
    package var readable: [String]
    package var writable: [String]
    /// nil where it was not asked, or could not be.
    package var tools: [Tool]?
    package var resources: [OutsideResource]?
    package var prompts: [OutsidePrompt]?
    package var failure: RemoteError?
  }

  package static let name = "tools"
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<Event>) async throws {
    let servers = try house.tools.servers()
    if let name = input.name, !servers.contains(where: { $0.name == name }) {
      throw ToolServerError.unknown(name, servers.map(\.name))
    }
    for server in servers where server.name == input.name ?? server.name {
      // How it is reached may hold a secret, in an address or a word of its command; other programs have no use for it.
      let isPerson = Caller.asking.isPerson
      var event = Event(
        name: server.name, program: isPerson ? server.program : "", address: isPerson ? server.address : nil,
        arguments: isPerson ? server.arguments : [], network: server.network,
        readable: isPerson ? server.readable : [], writable: isPerson ? server.writable : [])
      if input.starts == true {
        do {
          let offers = try await house.tools.offers(of: server)
          if isPerson { (event.resources, event.prompts) = (offers.resources, offers.prompts) }
          event.tools = try offers.tools.map {
            .init(
              name: $0.name, title: $0.title, description: $0.description,
              asks: try !server.actsUnasked($0.name, hash: $0.hash))
          }
          // What another program has had listed, the person has not seen.
          if isPerson { try house.tools.shown(offers.tools, of: server) }
        } catch is CancellationError { throw CancellationError() } catch { event.failure = RemoteError(error) }
      }
      emit(event)
    }
  }
}

/// A card for what a person wants of a tool; nothing is called yet.
package enum ProposeToolCall: Operation {
  package struct Input: Codable, Sendable {
    /// The person's words. Where no server is named they may begin with its name: "@notes find the plumber".
    package var text: String
    package var server: String?
    package var tool: String?
    package init(text: String, server: String? = nil, tool: String? = nil) {
      (self.text, self.server, self.tool) = (text, server, tool)
    }
  }

  package static let name = "tools-propose"
  package static func said(in input: Input) -> (text: String, most: Int)? { (input.text, LongQuestion.brief) }
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<ToolCard>) async throws {
    let (said, name) = addressed(input)
    let servers = try house.tools.servers()
    guard let name else { throw ToolError.whichServer(servers.map(\.name)) }
    guard let server = servers.first(where: { $0.name == name }) else {
      throw ToolServerError.unknown(name, servers.map(\.name))
    }
    emit(try await ToolProposal(house: house).card(said, server: server, tool: input.tool))
  }

  private static func addressed(_ input: Input) -> (said: String, server: String?) {
    let text = input.text.trimmingCharacters(in: .whitespacesAndNewlines)
    if let server = input.server { return (text, server) }
    guard let found = text.prefixMatch(of: /@([a-z0-9][a-z0-9-]{0,31})\s*/) else { return (text, nil) }
    return (String(text[found.range.upperBound...]), String(found.1))
  }
}

/// Calls a tool as its card says, with the values that a person has changed on it.
package enum CallTool: Operation {
  package struct Input: Codable, Sendable {
    /// The card's.
    package var id: String
    /// What a person wrote into its fields; a field without a value is left out.
    package var values: [String: String]?
    /// The person has seen the card and agreed.
    package var confirmed: Bool
    /// Where what the tool says is kept; an unknown UUID begins a conversation.
    package var conversation: String?
    package init(
      id: String, values: [String: String]? = nil, confirmed: Bool = false, conversation: String? = nil
    ) {
      (self.id, self.values, self.confirmed, self.conversation) = (id, values, confirmed, conversation)
    }
  }

  package struct Event: Codable, Sendable {
    /// What the tool tells while it works.
    package var told: String?
    package var outcome: ToolOutcome?
    /// Its message in the conversation, after the outcome.
    package var kept: String?
  }

  package static let name = "tools-call"

  package static func check(_ input: Input, from caller: Caller) throws {
    if case .key = caller, input.confirmed { throw CallerError.personOnly("Agreeing to what a tool does") }
    // What is kept in a conversation, questions there are answered with.
    if input.conversation != nil, !caller.may(.ask) { throw CallerError.lacks([.ask]) }
  }

  package static func run(_ input: Input, in house: House, emit: @escaping Emit<Event>) async throws {
    let card = try await house.tools.card(input.id)
    guard try await house.tools.mayCall(card, confirmed: input.confirmed) else { throw ToolError.notConfirmed }
    let arguments = try arguments(card, input.values ?? [:])
    let missing = ToolArguments.missing(in: arguments, for: card.tool)
    guard missing.isEmpty else { throw ToolError.missing(missing) }
    var wasThere = false
    if let conversation = input.conversation { wasThere = try await house.conversing.isThere(conversation) }
    let outcome = try await house.tools.call(card, arguments) { emit(Event(told: $0)) }
    emit(Event(outcome: outcome))
    guard let conversation = input.conversation else { return }
    let kept = try await house.conversing.keep(
      KeptCall(card, arguments, outcome), KeptCall.text(of: outcome), asked: card.asked, in: conversation,
      wasThere: wasThere)
    if let kept { emit(Event(kept: kept)) }
  }

  private static func arguments(_ card: ToolCard, _ values: [String: String]) throws -> [String: JSONNode] {
    var (arguments, wrong) = (card.arguments, [String]())
    for field in card.tool.fields {
      guard let text = values[field.name] else { continue }
      arguments[field.name] = nil
      if text.isEmpty { continue }
      if let value = field.value(of: text) { arguments[field.name] = value } else { wrong.append(field.name) }
    }
    guard wrong.isEmpty else { throw ToolError.missing(wrong) }
    return arguments
  }
}
