import Core
package import Foundation

/// Conversations as other programs export them: ChatGPT's and Claude's `conversations.json`, Open WebUI's chats. Words and branches are
/// taken; who answered with what, and pictures, stay behind.
package struct OthersConversations: Sendable {
  package private(set) var archive = ConversationArchive()
  /// How many entries could not be read.
  package private(set) var unread = 0

  /// Exports are one JSON text, which takes some ten times its size of memory while it is read.
  package static let mostBytes = 256 << 20

  /// nil where the text is no such export.
  package init?(_ json: Data) throws {
    let first = json.first { $0 > UInt8(ascii: " ") }
    if first == UInt8(ascii: "["), json.count > Self.mostBytes {
      throw StorageError.invalid(
        "The export is larger than \(Self.mostBytes >> 20) MB. Export fewer conversations at once.")
    }
    let entries: [Readable]
    do {
      switch first {
      case UInt8(ascii: "["): entries = try JSON.decode([Readable].self, from: json)
      case UInt8(ascii: "{"): entries = [try JSON.decode(Readable.self, from: json)]
      default: return nil
      }
    } catch { return nil }
    let trees = entries.compactMap(\.tree)
    guard !trees.isEmpty else { return nil }
    unread = entries.count - trees.count
    archive.conversations = trees.compactMap(\.entry)
  }
}

/// An entry of an export; without a tree where it is of no known kind.
private struct Readable: Decodable {
  var tree: MessageTree?

  init(from decoder: any Decoder) throws {
    // One that cannot be read is counted; the others are taken all the same.
    let kinds: [() throws -> MessageTree] = [
      { try ChatGPTExport(from: decoder).tree }, { try OpenWebUIExport(from: decoder).tree },
      { try ClaudeExport(from: decoder).tree },
    ]
    for read in kinds {
      do {
        tree = try read()
        return
      } catch is DecodingError { continue }
    }
  }
}

/// Messages with the ones they follow, in any order, as they come from elsewhere.
private struct MessageTree {
  struct Node {
    var parent: String?
    /// nil: not said by either side, and left out; what follows it follows the one before.
    var role: String?
    var text = ""
    var created: Double?
  }

  var title: String?
  var created: Double?
  var updated: Double?
  /// The last of the branch that was shown.
  var leaf: String?
  var nodes: [String: Node] = [:]
  /// In which order they stood; those that follow the same one keep it.
  var order: [String] = []

  mutating func add(_ key: String, _ node: Node) {
    guard nodes[key] == nil else { return }
    nodes[key] = node
    order.append(key)
  }

  private static func date(_ seconds: Double?) -> Date? {
    seconds.flatMap { abs($0) < 1e11 ? Date(timeIntervalSince1970: $0) : nil }
  }

  /// nil where nothing was said in it.
  var entry: ConversationArchive.Entry? {
    var entry = ConversationArchive.Entry(
      conversation: StoredConversation(title: "", created: Self.date(created) ?? Date()), messages: [])
    // By whom each is represented: itself, the one it is added to, or the one before it.
    var kept: [String: Int] = [:]
    for (key, isAlone) in sorted() {
      guard let node = nodes[key] else { continue }
      let parent = node.parent.flatMap { kept[$0] }
      let text = node.text.trimmingCharacters(in: .whitespacesAndNewlines)
      guard let role = node.role, !text.isEmpty else {
        kept[key] = parent
        continue
      }
      // What one side says in several steps is one message.
      if let parent, isAlone, entry.messages[parent].role == role {
        entry.messages[parent].text += "\n\n" + text
        kept[key] = parent
        continue
      }
      kept[key] = entry.messages.count
      entry.messages.append(
        StoredMessage(
          conversation: entry.conversation.id, parent: parent.map { entry.messages[$0].id }, role: role, text: text,
          created: Self.date(node.created) ?? entry.conversation.created))
    }
    guard let last = entry.messages.last else { return nil }
    let named = (title ?? "").split(whereSeparator: \.isNewline).joined(separator: " ")
    entry.conversation.title = String((named.isEmpty ? entry.messages[0].text : named).prefix(120))
    entry.conversation.updated = Self.date(updated) ?? last.created
    entry.conversation.leaf = leaf.flatMap { kept[$0] }.map { entry.messages[$0].id } ?? last.id
    entry.conversation.messages = entry.messages.count
    return entry
  }

  /// Each after the one it follows, and whether it alone follows that one. What goes in a circle is reached by nobody and left out.
  private func sorted() -> [(key: String, isAlone: Bool)] {
    var children: [String: [String]] = [:]
    var waiting: [String] = []
    for key in order.reversed() {
      if let parent = nodes[key]?.parent, nodes[parent] != nil {
        children[parent, default: []].append(key)
      } else {
        waiting.append(key)
      }
    }
    var sorted: [(String, Bool)] = []
    while let key = waiting.popLast() {
      let isAlone = nodes[key]?.parent.map { children[$0]?.count == 1 } ?? true
      sorted.append((key, isAlone))
      waiting += children[key] ?? []
    }
    return sorted
  }

  static func role(_ word: String?) -> String? {
    switch word {
    case "user", "human": "user"
    case "assistant": "assistant"
    default: nil
    }
  }
}

private struct ChatGPTExport: Decodable {
  struct Part: Decodable {
    var text: String?
    init(from decoder: any Decoder) throws {
      struct Spoken: Decodable { var text: String? }
      do { text = try decoder.singleValueContainer().decode(String.self) } catch {
        text = try Spoken(from: decoder).text  // what was dictated; of a picture nothing
      }
    }
  }
  struct Node: Decodable {
    struct Message: Decodable {
      struct Author: Decodable { var role: String? }
      struct Content: Decodable {
        var type: String?
        var parts: [Part]?
        var text: String?
        enum CodingKeys: String, CodingKey {
          case parts, text
          case type = "content_type"
        }
      }
      struct Metadata: Decodable {
        var isHidden: Bool?
        enum CodingKeys: String, CodingKey { case isHidden = "is_visually_hidden_from_conversation" }
      }
      var author: Author?
      var content: Content?
      var created: Double?
      var metadata: Metadata?
      enum CodingKeys: String, CodingKey {
        case author, content, metadata
        case created = "create_time"
      }
    }
    var message: Message?
    var parent: String?
  }
  var title: String?
  var created: Double?
  var updated: Double?
  var leaf: String?
  var mapping: [String: Node]
  enum CodingKeys: String, CodingKey {
    case title, mapping
    case created = "create_time"
    case updated = "update_time"
    case leaf = "current_node"
  }

  private static let said: Set = ["text", "multimodal_text", "code"]

  var tree: MessageTree {
    var tree = MessageTree(title: title, created: created, updated: updated, leaf: leaf)
    let byTime = mapping.sorted {
      ($0.value.message?.created ?? 0, $0.key) < ($1.value.message?.created ?? 0, $1.key)
    }
    for (key, node) in byTime {
      var kept = MessageTree.Node(parent: node.parent, created: node.message?.created)
      if let message = node.message, message.metadata?.isHidden != true,
        let content = message.content, Self.said.contains(content.type ?? "text")
      {
        kept.role = MessageTree.role(message.author?.role)
        kept.text = Self.plain(content.parts?.compactMap(\.text).joined(separator: "\n\n") ?? content.text ?? "")
      }
      tree.add(key, kept)
    }
    return tree
  }

  /// Without the marks of sources, which stand between signs that no font has.
  private static func plain(_ text: String) -> String { text.without(from: "\u{E200}", to: "\u{E201}") }
}

private struct OpenWebUIExport: Decodable {
  struct Chat: Decodable {
    struct History: Decodable {
      struct Message: Decodable {
        var parentId: String?
        var role: String?
        var content: String?
        var timestamp: Double?
      }
      var messages: [String: Message]
      var currentId: String?
    }
    var title: String?
    var history: History
  }
  var title: String?
  var chat: Chat
  var created: Double?
  var updated: Double?
  enum CodingKeys: String, CodingKey {
    case title, chat
    case created = "created_at"
    case updated = "updated_at"
  }

  var tree: MessageTree {
    var tree = MessageTree(
      title: title ?? chat.title, created: created, updated: updated, leaf: chat.history.currentId)
    let byTime = chat.history.messages.sorted { ($0.value.timestamp ?? 0, $0.key) < ($1.value.timestamp ?? 0, $1.key) }
    for (key, message) in byTime {
      // What a model thought stands folded away in the same text.
      let text = (message.content ?? "").without(from: #"<details type="reasoning""#, to: "</details>")
      tree.add(
        key,
        .init(
          parent: message.parentId, role: MessageTree.role(message.role), text: text, created: message.timestamp))
    }
    return tree
  }
}

private struct ClaudeExport: Decodable {
  struct Message: Decodable {
    struct Content: Decodable {
      var type: String?
      var text: String?
    }
    var uuid: String?
    var parent: String?
    var sender: String?
    var text: String?
    var content: [Content]?
    var created: String?
    enum CodingKeys: String, CodingKey {
      case uuid, sender, text, content
      case parent = "parent_message_uuid"
      case created = "created_at"
    }
  }
  var name: String?
  var created: String?
  var updated: String?
  var messages: [Message]
  enum CodingKeys: String, CodingKey {
    case name
    case created = "created_at"
    case updated = "updated_at"
    case messages = "chat_messages"
  }

  private static func seconds(_ date: String?) -> Double? {
    guard let date else { return nil }
    let styles = [true, false].map { Date.ISO8601FormatStyle(includingFractionalSeconds: $0) }
    return styles.lazy.compactMap { style in
      // Neither form: then the time is not known.
      try? style.parse(date).timeIntervalSince1970
    }.first
  }

  var tree: MessageTree {
    var tree = MessageTree(title: name, created: Self.seconds(created), updated: Self.seconds(updated))
    var before: String?
    for (place, message) in messages.enumerated() {
      let key = message.uuid ?? "\(place)"
      let said = (message.content ?? []).filter { $0.type == "text" }.compactMap(\.text).joined(separator: "\n\n")
      let parent = message.parent.flatMap { tree.nodes[$0] == nil ? nil : $0 }
      tree.add(
        key,
        .init(
          parent: parent ?? before, role: MessageTree.role(message.sender),
          text: said.isEmpty ? message.text ?? "" : said,
          created: Self.seconds(message.created)))
      before = key
    }
    return tree
  }
}

extension String {
  /// Without what stands between two marks, and without these. An opening one without its end is a word like others.
  fileprivate func without(from opening: String, to closing: String) -> String {
    var (kept, rest) = ("", self[...])
    while let start = rest.range(of: opening), let end = rest[start.upperBound...].range(of: closing) {
      kept += rest[..<start.lowerBound]
      rest = rest[end.upperBound...]
    }
    return kept + rest
  }
}

extension StoredConversation {
  fileprivate init(title: String, created: Date) {
    id = UUID().uuidString.lowercased()
    (self.title, self.created, updated, messages) = (title, created, created, 0)
  }
}

extension StoredMessage {
  fileprivate init(conversation: String, parent: String?, role: String, text: String, created: Date) {
    id = UUID().uuidString.lowercased()
    (self.conversation, self.parent, self.role, self.text, self.created) = (conversation, parent, role, text, created)
  }
}
