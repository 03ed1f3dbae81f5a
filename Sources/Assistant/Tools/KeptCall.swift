package import Core
import Foundation
import Storage

/// A call of a tool as it stays in its conversation: its message holds what the tool said, this what it was told and by whom. All
/// but the person's own words is a stranger's.
package struct KeptCall: Codable, Sendable, Equatable {
  package static let longestText = 50_000

  package var server: String
  package var tool: String
  package var title: String?
  package var arguments: [String: JSONNode]
  /// What came beside the text: "image/png, 12 kB".
  package var others: [String]
  /// The tool itself said that it failed.
  package var failed: Bool
  /// It said more than is kept.
  package var cut: Bool

  package var label: String { "\(server): \(title ?? tool)" }

  init(_ card: ToolCard, _ arguments: [String: JSONNode], _ outcome: ToolOutcome) {
    (server, tool, title) = (card.server, card.tool.name, card.tool.title)
    (self.arguments, others, failed) = (arguments, outcome.others, outcome.failed)
    cut = outcome.isCut || Self.text(of: outcome).utf8.count < outcome.text.utf8.count
  }

  /// A resource that was read instead of a tool that was called.
  init(reading uri: String, _ title: String?, of server: String, _ outcome: ToolOutcome) {
    (self.server, tool, self.title, arguments) = (server, uri, title, ["uri": .text(uri)])
    (others, failed) = (outcome.others, outcome.failed)
    cut = outcome.isCut || Self.text(of: outcome).utf8.count < outcome.text.utf8.count
  }

  /// nil for what is no call, or was written by another version.
  init?(_ message: StoredMessage) {
    guard message.role == StoredMessage.tool, let record = message.record else { return nil }
    do { self = try JSON.decode(KeptCall.self, from: Data(record.utf8)) } catch { return nil }
  }

  /// What is kept of a tool's words.
  static func text(of outcome: ToolOutcome) -> String { outcome.text.letters(longestText) }
}

extension StoredMessage {
  static let tool = "tool"
  /// An answer, or what a tool said: what a question can follow.
  var isReply: Bool { role == StoredMessage.assistant || role == StoredMessage.tool }
}

/// What tools have said in a conversation and no answer from elsewhere has followed: what the next question may be about.
struct ToldSoFar: Sendable, Equatable {
  struct Said: Sendable, Equatable {
    /// The person's words that led to the call.
    var asked: String
    var told: Prompt.Told
  }

  static let mostCalls = 4

  /// The oldest first.
  var said: [Said] = []
  /// The question comes right after a tool's words.
  var isFresh = false

  var told: [Prompt.Told] { said.map(\.told) }
  /// Each once, in the order they spoke.
  var programs: [String] { told.map(\.program).reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }

  /// - Parameter branch: From the first message to the last before the question.
  static func of(_ branch: [StoredMessage]) -> ToldSoFar {
    var found = ToldSoFar()
    found.isFresh = branch.last(where: \.isReply)?.role == StoredMessage.tool
    var asked = branch.indices.reversed().makeIterator()
    reading: while let place = asked.next() {
      let message = branch[place]
      switch message.role {
      case StoredMessage.tool:
        let question = branch[..<place].last { $0.role == StoredMessage.user }?.text ?? ""
        let told = Prompt.Told(program: KeptCall(message)?.label ?? StoredMessage.tool, text: message.text)
        found.said.insert(Said(asked: question, told: told), at: 0)
        if found.said.count == mostCalls { break reading }
      case StoredMessage.assistant:
        // An answer that was made of their words goes on with them.
        guard KeptAnswer(message)?.answer.told != nil else { break reading }
      default: break
      }
    }
    return found
  }
}
