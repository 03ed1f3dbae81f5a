import Core
import Foundation

/// Messages with the ones they follow, in any order, as they come from elsewhere.
struct MessageTree {
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
    let named = (title ?? "").onOneLine
    entry.conversation.title = (named.isEmpty ? entry.messages[0].text : named).letters(120)
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

extension String {
  /// Without what stands between two marks, and without these. An opening one without its end is a word like others.
  /// In one pass over its bytes, for there may be any number of marks.
  func without(from opening: String, to closing: String) -> String {
    let bytes = Array(utf8)
    func place(of mark: [UInt8], from start: Int) -> Int? {
      var at = start
      while at + mark.count <= bytes.count {
        if bytes[at] == mark[0], bytes[at..<at + mark.count].elementsEqual(mark) { return at }
        at += 1
      }
      return nil
    }
    let (first, last) = (Array(opening.utf8), Array(closing.utf8))
    var (kept, rest) = ([UInt8](), 0)
    while let start = place(of: first, from: rest), let end = place(of: last, from: start + first.count) {
      kept += bytes[rest..<start]
      rest = end + last.count
    }
    return String(decoding: kept + bytes[rest...], as: UTF8.self)
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
