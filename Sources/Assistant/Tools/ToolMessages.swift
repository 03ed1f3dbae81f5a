import Core
import Foundation

/// What goes to and comes from a tool server: JSON-RPC 2.0, one message a line, as the Model Context Protocol says.
enum ToolMessages {
  /// The version that is asked for, and others that are understood as well.
  static let versions = ["2025-06-18", "2025-03-26", "2024-11-05"]

  struct Outgoing: Encodable {
    let jsonrpc = "2.0"
    var id: JSONNode?
    var method: String?
    var params: JSONNode?
    var result: JSONNode?
    var error: Failure?
  }

  struct Incoming: Decodable {
    var id: JSONNode?
    var method: String?
    var params: JSONNode?
    var result: JSONNode?
    /// As the server has it: one that says it in a way of its own has answered too.
    var error: JSONNode?
  }

  struct Failure: Codable {
    static let unknownMethod = -32601
    /// Told by the bridge to a server elsewhere, not by the server.
    static let unreached = -32099
    var code: Int
    var message: String

    init(code: Int, message: String) { (self.code, self.message) = (code, message) }

    /// Whatever stands there.
    init(_ node: JSONNode) throws {
      if case .whole(let code)? = node["code"] { self.code = code } else { code = 0 }
      message = try node["message"]?.text ?? node.text ?? String(decoding: JSON.encode(node), as: UTF8.self)
    }
  }

  struct Welcome: Decodable {
    var protocolVersion: String
    var capabilities: JSONNode?

    /// Tools are asked for unless the server says only of other things that it has them.
    func offers(_ what: String) -> Bool {
      func has(_ name: String) -> Bool { capabilities?[name].map { $0 != .null } ?? false }
      return has(what) || what == "tools" && !has("resources") && !has("prompts")
    }
  }

  /// A part of a long list.
  protocol Page: Decodable {
    associatedtype Item
    var items: [Item] { get }
    var nextCursor: String? { get }
  }

  struct ToolList: Page {
    struct Tool: Decodable {
      var name: String
      var title: String?
      var description: String?
      var inputSchema: JSONNode?
    }
    var tools: [Tool]
    var nextCursor: String?
    var items: [Tool] { tools }
  }

  struct ResourceList: Page {
    struct Resource: Decodable {
      var uri: String
      var name: String?
      var title: String?
      var description: String?
      var mimeType: String?
    }
    var resources: [Resource]
    var nextCursor: String?
    var items: [Resource] { resources }
  }

  struct PromptList: Page {
    struct Prompt: Decodable {
      struct Argument: Decodable {
        var name: String
        var description: String?
        var required: Bool?
      }
      var name: String
      var title: String?
      var description: String?
      var arguments: [Argument]?
    }
    var prompts: [Prompt]
    var nextCursor: String?
    var items: [Prompt] { prompts }
  }

  struct ResourceRead: Decodable {
    struct Content: Decodable {
      var uri: String?
      var mimeType: String?
      var text: String?
      var blob: String?
    }
    var contents: [Content]
  }

  struct PromptText: Decodable {
    struct Message: Decodable { var content: JSONNode }
    var messages: [Message]

    /// Their texts; one message holds one part or, in some servers, several.
    var text: String {
      messages.flatMap { message -> [JSONNode] in
        if case .list(let parts) = message.content { parts } else { [message.content] }
      }.compactMap { $0["text"]?.text ?? $0["resource"]?["text"]?.text }.joined(separator: "\n\n")
    }
  }

  struct Progress: Decodable {
    var progressToken: JSONNode
    var progress: Double?
    var total: Double?
    var message: String?
  }

  struct Outcome: Decodable {
    struct Part: Decodable {
      struct Resource: Decodable {
        var uri: String?
        var text: String?
        var mimeType: String?
      }
      var type: String
      var text: String?
      var mimeType: String?
      var data: String?
      var uri: String?
      var resource: Resource?
    }
    var content: [Part]?
    var structuredContent: JSONNode?
    var isError: Bool?
  }

  static let greeting = JSONNode.object([
    "protocolVersion": .text(versions[0]), "capabilities": .object([:]),
    "clientInfo": .object(["name": .text("libera"), "title": .text("LiberaGPT"), "version": .text(Version.current)]),
  ])
}

/// What a tool gave: content of a stranger, shown and never obeyed.
package struct ToolOutcome: Codable, Sendable, Equatable {
  package static let longestText = 200_000
  private static let longestOther = 300

  package var text: String
  /// What came beside the text and is not shown: "image/png, 12 kB".
  package var others: [String]
  /// The tool itself says that it failed.
  package var failed: Bool
  /// It was longer than is shown.
  package var isCut: Bool

  enum CodingKeys: String, CodingKey {
    case text, others, failed
    case isCut = "cut"
  }

  init(text whole: String, others: [String], failed: Bool) {
    text = whole.letters(Self.longestText)
    isCut = text.utf8.count < whole.utf8.count
    self.others = others.prefix(50).map { $0.letters(Self.longestOther) }
    self.failed = failed
  }

  init(_ outcome: ToolMessages.Outcome) throws {
    var (texts, others): ([String], [String]) = ([], [])
    for part in outcome.content ?? [] {
      switch part.type {
      case "text": texts.append(part.text ?? "")
      case "resource" where part.resource?.text != nil: texts.append(part.resource?.text ?? "")
      case "resource_link": others.append(part.uri ?? "link")
      default: others.append("\(part.mimeType ?? part.type), \((part.data ?? "").utf8.count * 3 / 4 / 1000) kB")
      }
    }
    if texts.isEmpty, let structured = outcome.structuredContent {
      texts = [String(decoding: try JSON.encode(structured, pretty: true), as: UTF8.self)]
    }
    self.init(text: texts.joined(separator: "\n\n"), others: others, failed: outcome.isError ?? false)
  }
}
