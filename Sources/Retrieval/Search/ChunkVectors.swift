import Foundation

/// What the vector of a chunk is made of: its own words, and those under which it stands, its document's title and the heading above
/// it. Who asks in other words than a paragraph's often names what the whole is about.
package enum ChunkVectors {
  /// Told with the pack that makes them, so that vectors made otherwise are made anew.
  package static let kind = "titled"
  /// What the title and the heading count beside the words. Between 0.3 and 0.6 little changes (Benchmarks/answers.md).
  private static let weight: Float = 0.5
  /// What the question as the adapter reads it counts beside the question as published. Between 0.5 and 2 little changes.
  private static let askedWeight: Float = 1

  /// The title and the nearest heading, of a path "title › heading › heading".
  package static func place(of path: String) -> String {
    let steps = path.components(separatedBy: " › ")
    guard let first = steps.first, let last = steps.last else { return "" }
    return steps.count > 1 ? "\(first): \(last)" : first
  }

  /// Of both, as a unit vector.
  package static func joined(_ words: [Float], _ place: [Float]) -> [Float] { sum(words, place, weight) }

  /// What is looked for: the question as published, and as it is near to what answers.
  static func sought(_ question: [Float], _ asked: [Float]) -> [Float] { sum(question, asked, askedWeight) }

  private static func sum(_ words: [Float], _ place: [Float], _ weight: Float) -> [Float] {
    guard words.count == place.count else { return words }
    let sum = zip(words, place).map { $0 + weight * $1 }
    let length = KeySentences.dot(sum, sum).squareRoot()
    return length > 0 ? sum.map { $0 / length } : words
  }
}
