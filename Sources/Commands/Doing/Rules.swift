import Core
package import Foundation
import Synchronization

/// What the person's corrections taught: "lunch" takes 60 minutes. A small file, to be seen and emptied.
package final class Rules: Sendable {
  package struct Rule: Codable, Sendable, Equatable {
    package var word: String
    package var minutes: Int
  }
  private let file: URL
  /// A change reads the file and writes it anew: one after the other.
  private let changing = Mutex(())

  package init(_ file: URL) { self.file = file }

  package func lengths() throws -> [String: Int] {
    guard FileManager.default.fileExists(atPath: file.path) else { return [:] }
    // Read as data: what is no rule of ours teaches nothing.
    let lengths = try JSON.decode([String: Int].self, from: Data(contentsOf: file)).filter(Self.isSane)
    return lengths.count <= Self.most ? lengths : [:]
  }

  private static let most = 1000

  private static func isSane(_ word: String, _ minutes: Int) -> Bool {
    !word.isEmpty && word.count <= 60 && word == word.lowercased() && (1...10_080).contains(minutes)
  }

  /// Leaves nothing in the file but rules.
  func keepSane() throws { try change { _ in } }

  package func list() throws -> [Rule] {
    try lengths().map { Rule(word: $0.key, minutes: $0.value) }.sorted { $0.word < $1.word }
  }

  package func learn(_ word: String, minutes: Int) throws {
    let word = word.lowercased().trimmingCharacters(in: .whitespaces)
    guard Self.isSane(word, minutes) else {
      throw CommandError.incomplete("which word, and how many minutes")
    }
    try change { $0[word] = minutes }
  }

  package func forget(_ word: String) throws {
    try change { $0[word.lowercased()] = nil }
  }

  private func change(_ edit: (inout [String: Int]) -> Void) throws {
    try changing.withLock { _ in
      var lengths = try lengths()
      edit(&lengths)
      try WholeFile.write(JSON.encode(lengths), to: file)
    }
  }

  /// A length that the person wrote on the card of an event that came without one is kept for the event's first word.
  package func learn(from understood: Frame, corrected: Frame, _ edits: CardEdits) throws -> Rule? {
    guard corrected.intent == .createEvent, let minutes = edits.durationMinutes, minutes > 0,
      understood.slots.durationMinutes != minutes, let title = corrected.slots.title,
      let word = Self.keyword(title)
    else { return nil }
    try learn(word, minutes: minutes)
    return Rule(word: word, minutes: minutes)
  }

  /// The word of a title that says what kind of thing it is: the first that is not a small word.
  static func keyword(_ title: String) -> String? {
    let small: Set<String> = ["a", "an", "the", "my", "our", "with", "to", "for", "at", "in", "on", "and", "of"]
    return Token.split(title).first { $0.kind == .word && !small.contains($0.text) }?.text
  }
}
