import Assistant
import Core
import Foundation
import Storage

/// What a client may attach by itself: documents, and conversations where it may see those.
struct ModelContextResources: Sendable {
  let desk: any OperationDesk

  struct Entry: Encodable, Sendable {
    var uri: String
    var name: String
    var title: String
    var description: String?
    var mimeType = "text/plain"
    var size: Int?
  }
  struct List: Encodable, Sendable {
    var resources: [Entry]
    var nextCursor: String?
  }
  struct Contents: Encodable, Sendable {
    struct Text: Encodable, Sendable {
      var uri: String
      var mimeType = "text/plain"
      var text: String
    }
    var contents: [Text]
  }
  struct Template: Encodable, Sendable {
    var uriTemplate: String
    var name: String
    var title: String
    var mimeType = "text/plain"
  }
  struct Templates: Encodable, Sendable {
    var resourceTemplates: [Template]
  }

  private static let documents = "libera://documents/"
  private static let conversations = "libera://conversations/"
  private static let page = 500

  /// Documents first. The cursor is how many were told before.
  func list(after cursor: String?) async throws -> List {
    guard let start = cursor.map({ Int($0) }) ?? 0, start >= 0 else {
      throw RemoteError(code: "input_unreadable", message: "This cursor is none of ours.")
    }
    var all: [Entry] = []
    for try await entry in desk.call(ListDocuments.self, .init(collection: nil)) {
      all.append(
        Entry(
          uri: Self.documents + entry.id, name: entry.document, title: entry.title,
          description: "A document of the collection \(entry.collection)", size: entry.textBytes))
    }
    if desk.may(ListConversations.self), desk.may(ShowConversation.self) {
      for try await one in desk.call(ListConversations.self, Nothing()) {
        all.append(
          Entry(
            uri: Self.conversations + one.id, name: one.title, title: one.title,
            description: "A conversation of \(one.updated.ISO8601Format())"))
      }
    }
    let rest = all.dropFirst(start)
    return List(
      resources: Array(rest.prefix(Self.page)), nextCursor: rest.count > Self.page ? "\(start + Self.page)" : nil)
  }

  var templates: Templates {
    var all = [Template(uriTemplate: Self.documents + "{id}", name: "document", title: "A document's text")]
    if desk.may(ShowConversation.self) {
      all.append(Template(uriTemplate: Self.conversations + "{id}", name: "conversation", title: "A conversation"))
    }
    return Templates(resourceTemplates: all)
  }

  func read(_ uri: String) async throws -> Contents {
    Contents(contents: [Contents.Text(uri: uri, text: try await text(of: uri))])
  }

  func text(of uri: String) async throws -> String {
    if let id = Self.id(uri, under: Self.documents) {
      var text = ""
      for try await event in desk.call(ReadDocument.self, .init(id: id)) { text = event.text }
      return text
    }
    guard let id = Self.id(uri, under: Self.conversations) else {
      throw RemoteError(code: "not_found", message: "There is no resource \(uri.prefix(200)).")
    }
    var lines: [String] = []
    for try await view in desk.call(ShowConversation.self, .init(id: id)) {
      lines = ["# \(view.title)"]
      for turn in view.turns where turn.shown {
        lines.append("## \(turn.question)")
        lines.append(turn.marked ?? "(not answered)")
      }
    }
    return lines.joined(separator: "\n\n") + "\n"
  }

  private static func id(_ uri: String, under place: String) -> String? {
    guard uri.hasPrefix(place), uri.count > place.count else { return nil }
    return String(uri.dropFirst(place.count))
  }
}
