public import Foundation
public import LiberaKit
public import Observation

/// The conversations that were kept: found, renamed, removed, written out.
@MainActor @Observable
public final class ConversationsScreen: Fallible {
  private let libera: Libera
  public private(set) var lines: [ConversationLine] = []
  /// What is looked for; empty: everything is shown.
  public var words = ""
  public private(set) var hits: [ConversationHit]?
  /// A conversation as Markdown, while it is shown.
  public private(set) var written: String?

  public init(_ libera: Libera) { self.libera = libera }

  public func refresh() async {
    await trying { self.lines = try await self.libera.conversations.list() }
  }

  /// Looks for `words`; an answer that comes after they have changed is not shown.
  public func search() async {
    let asked = words
    guard !asked.allSatisfy(\.isWhitespace) else { return hits = nil }
    await trying {
      let found = try await self.libera.conversations.search(asked)
      if asked == self.words { self.hits = found }
    }
  }

  public func rename(_ id: UUID, to title: String) async {
    await trying { try await self.libera.conversations.rename(id, to: title) }
    await refresh()
  }

  public func remove(_ ids: [UUID]) async {
    await trying { try await self.libera.conversations.delete(ids) }
    hits = hits?.filter { !ids.contains($0.conversation) }
    await refresh()
  }

  /// Writes a conversation out, with every branch and its evidence.
  public func writeOut(_ id: UUID) async {
    written = nil
    await trying { self.written = try await self.libera.conversations.markdown([id]) }
  }

  public func putAway() { written = nil }
}
