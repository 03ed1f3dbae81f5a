import Core
package import Foundation
import Storage

/// The vault's messages as turns: a question, its answer, and the answer it follows.
struct ConversationTree: Sendable {
  private let order: [StoredMessage]
  private let places: [String: Int]
  private let lines: [Line]

  /// What a message follows, and the nearest question and reply at it or above it, as places in the order.
  private struct Line: Sendable {
    var parent: Int?
    var question: Int?
    var answer: Int?
  }

  /// One pass: a message follows what stands before it. One that would follow anything else stands at the top, so whatever is
  /// stored no walk goes in a circle.
  init(_ order: [StoredMessage]) {
    var places: [String: Int] = [:]
    var lines: [Line] = []
    for (index, message) in order.enumerated() {
      let parent = message.parent.flatMap { places[$0] }
      var line = parent.map { lines[$0] } ?? Line()
      line.parent = parent
      if message.role == StoredMessage.user { line.question = index }
      if message.isReply { line.answer = index }
      lines.append(line)
      if places[message.id] == nil { places[message.id] = index }
    }
    (self.order, self.places, self.lines) = (order, places, lines)
  }

  var isEmpty: Bool { order.isEmpty }

  func contains(_ id: String) -> Bool { places[id] != nil }

  /// From the first message to this one.
  func branch(to id: String?) -> [StoredMessage] {
    var branch: [StoredMessage] = []
    var next = id.flatMap { places[$0] }
    while let place = next {
      branch.append(order[place])
      next = lines[place].parent
    }
    return branch.reversed()
  }

  /// This message if it is an answer, else the nearest answer above it; nil at the top.
  func answer(atOrAbove id: String?) -> String? {
    id.flatMap { places[$0] }.flatMap { lines[$0].answer }.map { order[$0].id }
  }

  /// The question asked with these words after this answer.
  func question(_ text: String, after answer: String?) -> StoredMessage? {
    order.first { $0.role == StoredMessage.user && $0.parent == answer && $0.text == text }
  }

  /// The question of a turn, named by itself or by its answer.
  func question(of id: String) -> StoredMessage? { places[id].flatMap { lines[$0].question }.map { order[$0] } }

  /// What the prompt held for this answer.
  func prompt(_ answer: StoredMessage) -> Prompt.Turn? {
    guard let question = question(of: answer.id) else { return nil }
    guard var turn = KeptAnswer(answer)?.prompt else {
      // From elsewhere or from another version: without its evidence, which is lost, the words still count.
      return Prompt.Turn(nonce: "", question: question.text, answer: answer.text)
    }
    turn.answer = turn.answer ?? answer.text
    return turn
  }

  /// Every turn of every branch, in the order they were written. A question without an answer is a turn too.
  func turns(shown leaf: String?) -> [ConversationView.Turn] {
    let shown = Set(branch(to: leaf).map(\.id))
    let answered = Set(
      order.indices.filter { order[$0].isReply }.compactMap { lines[$0].parent })
    return order.enumerated().compactMap { place, message in
      guard message.isReply || !answered.contains(place),
        let question = question(of: message.id)
      else { return nil }
      var record = KeptAnswer(message)?.answer
      record?.id = message.id
      return ConversationView.Turn(
        id: message.id, parent: answer(atOrAbove: question.parent), question: question.text,
        answer: message.id == question.id ? nil : message.text, record: record,
        call: KeptCall(message), attachments: question.attachments.map(\.name), created: message.created,
        shown: shown.contains(message.id))
    }
  }
}

/// What the vault keeps with an answer: its record, and what its prompt held, from which it can be built again to the byte.
struct KeptAnswer: Codable, Sendable {
  var answer: AnswerRecord
  var prompt: Prompt.Turn

  init(_ turn: Prompt.Turn, _ record: AnswerRecord) {
    answer = record
    prompt = turn
    // The message itself holds the words; they are kept twice only where the prompt's differ.
    if prompt.answer == record.answer { prompt.answer = nil }
  }

  /// nil for what another program or version has written.
  init?(_ message: StoredMessage) {
    guard message.role == StoredMessage.assistant, let record = message.record else { return nil }
    do { self = try JSON.decode(KeptAnswer.self, from: Data(record.utf8)) } catch { return nil }
  }
}

extension StoredMessage {
  static let user = "user"
  static let assistant = "assistant"
}

/// A conversation as it is shown: its turns, each naming the one it follows.
package struct ConversationView: Codable, Sendable {
  package struct Turn: Codable, Sendable {
    package var id: String
    package var parent: String?
    package var question: String
    /// nil: the question was never answered.
    package var answer: String?
    package var record: AnswerRecord?
    /// Where the answer is what a tool said: nobody's evidence, and a stranger's words.
    package var call: KeptCall?
    package var attachments: [String]
    package var created: Date
    /// Whether it lies on the branch that is shown.
    package var shown: Bool

    /// The answer where there is room for words alone: those of a tool are marked as such.
    package var marked: String? {
      guard let call, let answer else { return answer }
      let more = (call.cut ? ["(It said more, which is not kept.)"] : []) + call.others.map { "(It also gave: \($0))" }
      let lead = call.failed ? "\(call.label) said that it failed:" : "\(call.label) said:"
      return ([lead, answer] + more).joined(separator: "\n\n")
    }
  }

  package var id: String
  package var title: String
  package var collection: String?
  package var created: Date
  package var updated: Date
  package var turns: [Turn]
  /// Every file that is attached to it, also with a question not asked yet.
  package var attached: [String]

  init(_ conversation: StoredConversation, _ turns: [Turn], attached: [String]) {
    id = conversation.id
    title = conversation.title
    collection = conversation.collection
    created = conversation.created
    updated = conversation.updated
    self.turns = turns
    self.attached = attached
  }
}
