import Core
package import Foundation

/// Conversations as other programs export them: ChatGPT's and Claude's `conversations.json`, Open WebUI's chats, and the files that
/// LM Studio keeps. Words and branches are taken; who answered with what, and pictures, stay behind.
package struct OthersConversations: Sendable {
  package private(set) var archive = ConversationArchive()
  /// How many entries could not be read.
  package private(set) var unread = 0

  /// What one conversation takes of memory while it is read is some ten times its size.
  private static let mostOfOne = 64 << 20
  /// An export has some entries that cannot be read; a list of other things has few that can.
  private static let mostUnread = 1000

  /// nil where the text is no such export.
  package init?(_ json: Data) throws {
    var read = 0
    if var entries = JSONEntries(json) {
      while let entry = entries.next() {
        try Task.checkCancellation()
        if let tree = Self.tree(entry) {
          read += 1
          if let kept = tree.entry { archive.conversations.append(kept) }
        } else {
          unread += 1
        }
        guard unread < Self.mostUnread || unread < 10 * read else { return nil }
      }
      guard entries.isWhole else { return nil }
    } else if let tree = Self.tree(json) {
      read = 1
      archive.conversations = [tree.entry].compactMap(\.self)
    }
    guard read > 0 else { return nil }
  }

  private static func tree(_ entry: Data) -> MessageTree? {
    guard entry.count <= mostOfOne else { return nil }
    do { return try JSON.decode(Readable.self, from: entry).tree } catch { return nil }  // it is counted
  }
}

/// An entry of an export; without a tree where it is of no known kind.
private struct Readable: Decodable {
  var tree: MessageTree?

  init(from decoder: any Decoder) throws {
    // One that cannot be read is counted; the others are taken all the same.
    let kinds: [() throws -> MessageTree] = [
      { try ChatGPTExport(from: decoder).tree }, { try OpenWebUIExport(from: decoder).tree },
      { try ClaudeExport(from: decoder).tree }, { try LMStudioConversation(from: decoder).tree },
    ]
    for read in kinds {
      do {
        tree = try read()
        return
      } catch is DecodingError { continue }
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
