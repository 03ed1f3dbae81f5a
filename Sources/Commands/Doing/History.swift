package import Foundation

/// One command as it was heard, understood and decided.
package struct Heard: Codable, Sendable, Equatable {
  package var at: Date
  package var text: String
  package var recognition: Double?
  package var frame: String
  package var decision: Decision
  package var confirmed: Bool
  package var action: String?
  package var explanation: [String]
  /// The conversation it was said in.
  package var conversation: String?

  package init(
    at: Date, text: String, recognition: Double?, frame: String, decision: Decision, confirmed: Bool, action: String?,
    explanation: [String], conversation: String? = nil
  ) {
    self.at = at
    self.text = text
    self.recognition = recognition
    self.frame = frame
    self.decision = decision
    self.confirmed = confirmed
    self.action = action
    self.explanation = explanation
    self.conversation = conversation
  }
}

/// The last commands, for looking at what went wrong. Words only; no sound is kept.
package struct History: Sendable {
  private let lines: RecordLines<Heard>
  static let most = 200

  package init(_ file: URL) { lines = RecordLines(file) }

  package func add(_ heard: Heard) throws {
    var heard = heard
    heard.text = String(heard.text.prefix(500))
    try lines.append(heard)
    let all = try lines.all()
    if all.count > 2 * Self.most { try lines.replace(with: Array(all.suffix(Self.most))) }
  }

  /// Nothing stays of what was said in these conversations; nil: in any.
  package func forget(saidIn conversations: Set<String>?) throws {
    guard FileManager.default.fileExists(atPath: lines.file.path) else { return }
    let all = try lines.all()
    let kept = all.filter { heard in heard.conversation.map { conversations?.contains($0) == false } ?? true }
    if kept.count < all.count { try lines.replace(with: kept) }
  }

  /// The latest last.
  package func last() throws -> [Heard] { Array(try lines.all().suffix(Self.most)) }
}
