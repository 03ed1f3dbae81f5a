import Foundation

/// A conversation as LM Studio keeps it, one a file (`*.conversation.json`). Every message has versions, of which one was chosen; what
/// follows it was said to that one. An answer's text stands in steps.
struct LMStudioConversation: Decodable {
  struct Message: Decodable {
    var versions: [Version]
    var currentlySelected: Int?

    /// The place of the one that was chosen; an impossible one means the last.
    var chosen: Int? {
      guard !versions.isEmpty else { return nil }
      return currentlySelected.flatMap { versions.indices.contains($0) ? $0 : nil } ?? versions.count - 1
    }
  }
  struct Version: Decodable {
    var role: String?
    var content: Pieces?
    var steps: [Step]?

    var text: String {
      let said = content?.text ?? ""
      return said.isEmpty ? (steps ?? []).compactMap(\.text).joined(separator: "\n\n") : said
    }
  }
  struct Step: Decodable {
    struct Style: Decodable { var type: String? }
    var type: String?
    var style: Style?
    var content: Pieces?

    /// What was said; calls of tools and thoughts were not.
    var text: String? {
      guard type ?? "contentBlock" == "contentBlock", style?.type != "thinking" else { return nil }
      return content?.text
    }
  }
  /// Pieces of which some are words, or one text.
  struct Pieces: Decodable {
    struct Piece: Decodable {
      var type: String?
      var text: String?
    }
    var text: String

    init(from decoder: any Decoder) throws {
      do { text = try decoder.singleValueContainer().decode(String.self) } catch is DecodingError {
        text = try [Piece](from: decoder).filter { $0.type ?? "text" == "text" }.compactMap(\.text).joined()
      }
    }
  }
  var name: String?
  /// In thousandths of a second.
  var createdAt: Double?
  var messages: [Message]

  var tree: MessageTree {
    let created = createdAt.map { $0 / 1000 }
    var tree = MessageTree(title: name, created: created, updated: created)
    var before: String?
    for (place, message) in messages.enumerated() {
      guard let chosen = message.chosen else { continue }
      for (number, version) in message.versions.enumerated() {
        // Some models write what they think into their answer.
        let text = version.text.without(from: "<think>", to: "</think>")
        tree.add(
          "\(place).\(number)",
          .init(parent: before, role: MessageTree.role(version.role), text: text, created: created))
      }
      before = "\(place).\(chosen)"
    }
    tree.leaf = before
    return tree
  }
}
