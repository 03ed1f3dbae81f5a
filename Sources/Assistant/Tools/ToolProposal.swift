package import Core
import Foundation
import Inference
import Models
import Resources
import Retrieval

/// A call as a person sees it before it is made.
package struct ToolCard: Codable, Sendable, Equatable {
  package var id: String
  package var server: String
  /// The person's words, with the server's name.
  package var asked: String
  package var tool: OutsideTool
  package var arguments: [String: JSONNode]
  /// Fields that still need a value.
  package var missing: [String]
  /// Whether it has to be agreed to; otherwise a terminal has let this tool act unasked.
  package var asks: Bool
  /// Whether the server can reach the network.
  package var network: Bool
  package var writable: [String]

  package init(_ tool: OutsideTool, of server: ToolServer, _ said: String, _ arguments: [String: JSONNode]) throws {
    id = UUID().uuidString.lowercased()
    self.server = server.name
    asked = "@\(server.name) \(said)".trimmingCharacters(in: .whitespaces)
    self.tool = tool
    self.arguments = arguments
    missing = ToolArguments.missing(in: arguments, for: tool)
    asks = try !server.actsUnasked(tool.name, hash: tool.hash)
    (network, writable) = (server.network, server.writable)
  }
}

/// From what a person said to a card. Nothing else is read: no document, no answer of a model, no outcome of another tool.
struct ToolProposal: Sendable {
  let house: House

  /// - Parameter said: The person's words, without the server's name.
  func card(_ said: String, server: ToolServer, tool wanted: String?) async throws -> ToolCard {
    let tools = try await house.tools.tools(of: server)
    guard !tools.isEmpty else { throw ToolError.noTools(server.name) }
    let tool: OutsideTool
    if let wanted {
      guard let named = tools.first(where: { $0.name == wanted }) else {
        throw ToolError.noTool(server.name, wanted, tools.map(\.name))
      }
      tool = named
    } else {
      tool = try await choice(said, tools)
    }
    let arguments: [String: JSONNode]
    if let plain = ToolArguments.plain(said, for: tool) {
      arguments = plain
    } else {
      arguments = ToolArguments.kept(await written(said, for: tool), of: said, for: tool)
    }
    let card = try ToolCard(tool, of: server, said, arguments)
    await house.tools.keep(card, of: server)
    return card
  }

  /// The tool whose description is nearest to the words in meaning; without an embedding pack the one that shares most of them.
  private func choice(_ said: String, _ tools: [OutsideTool]) async throws -> OutsideTool {
    guard tools.count > 1 else { return tools[0] }
    let described = tools.map { "\($0.label.replacing("_", with: " ")): \($0.description)" }
    let scores: [Double]
    do {
      let vectors = try await house.library.embedder().embed([said] + described)
      scores = vectors.dropFirst().map { zip(vectors[0], $0).reduce(0) { $0 + Double($1.0 * $1.1) } }
    } catch AssistantError.noEmbedder {
      let words = Self.words(said)
      scores = described.map { Double(Self.words($0).intersection(words).count) }
    }
    return zip(tools, scores).max { $0.1 < $1.1 }?.0 ?? tools[0]
  }

  private static func words(_ text: String) -> Set<Substring> {
    Set(text.lowercased().split { !$0.isLetter && !$0.isNumber })
  }

  /// The arguments as the strongest chat pack writes them under the tool's schema; none where no pack can.
  private func written(_ said: String, for tool: OutsideTool) async -> [String: JSONNode] {
    do {
      let pack = try house.chatPack(asked: nil, preference: .strongest)
      var request = GenerateRequest(
        .chat([
          Message(.system, trusted: "You fill in the arguments of a function from what a person said, as JSON."),
          Message(
            .user,
            [
              .trusted("Function: "), .untrusted("\(tool.name): \(tool.description.letters(1000))"),
              .trusted("\nThe person said: "), .untrusted(said), .trusted("\nArguments:"),
            ]),
        ]))
      request.schema = String(decoding: try JSON.encode(tool.schema), as: UTF8.self)
      request.maximumTokens = 300
      var text = ""
      for try await case .piece(let piece) in Completions(house).generate(request, model: pack.pack.id) {
        text += piece
      }
      guard case .object(let fields) = try JSONNode(json: text) else { return [:] }
      return fields
    } catch {
      // The person fills them in; that no model could is kept in the log.
      await house.errors.note(error, in: "tools")
      return [:]
    }
  }
}
