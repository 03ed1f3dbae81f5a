import Core
package import Foundation

package struct StoredConversation: Sendable, Equatable, Codable, Identifiable {
  package var id: String
  package var title: String
  package var collection: String?
  /// The last message of the branch that is shown.
  package var leaf: String?
  package var created: Date
  package var updated: Date
  package var messages: Int
  /// Where the person keeps it.
  package var folder: String?

  static let columns = """
    c.id, c.title, c.collection, c.leaf, c.created, c.updated,
    (SELECT count(*) FROM messages WHERE conversation = c.id), c.folder
    """

  init(_ row: Row) {
    id = row.text(0)
    title = row.text(1)
    collection = row.optional(2, row.text)
    leaf = row.optional(3, row.text)
    created = row.date(4)
    updated = row.date(5)
    messages = row.int(6)
    folder = row.optional(7, row.text)
  }

  static let longestFolder = 80
  static let longestTitle = 300

  /// What a conversation is called where all are listed: no more of it than can be read there.
  static func title(_ name: String) -> String { name.letters(longestTitle) }

  /// A folder's name on one line, as long as a list can show; nil where nothing is left of it.
  static func folder(_ name: String?) -> String? {
    let words = (name ?? "").onOneLine
    return words.isEmpty ? nil : words.letters(longestFolder)
  }
}

package struct Attachment: Sendable, Equatable, Codable {
  /// No file has more bytes; a number from a foreign file that says so is not calculated with.
  static let most = 1 << 50

  package var name: String
  package var hash: String
  package var kind: String
  package var bytes: Int

  package init(name: String, hash: String, kind: String, bytes: Int) {
    self.name = name
    self.hash = hash
    self.kind = kind
    self.bytes = bytes
  }

  /// Name, hash, kind and bytes, in this order.
  init(_ row: Row) {
    self.init(name: row.text(0), hash: row.text(1), kind: row.text(2), bytes: row.int(3))
  }
}

package struct StoredMessage: Sendable, Equatable, Codable, Identifiable {
  package var id: String
  package var conversation: String
  package var parent: String?
  package var role: String
  package var text: String
  /// The answer's record (provider, mode, evidence, timings) as JSON; its shape belongs to the Assistant.
  package var record: String?
  package var created: Date
  package var attachments: [Attachment] = []

  static let columns = "m.id, m.conversation, m.parent, m.role, m.text, m.record, m.created"

  init(_ row: Row) {
    id = row.text(0)
    conversation = row.text(1)
    parent = row.optional(2, row.text)
    role = row.text(3)
    text = row.text(4)
    record = row.optional(5, row.text)
    created = row.date(6)
  }
}
