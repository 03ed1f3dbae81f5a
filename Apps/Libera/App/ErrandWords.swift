import Foundation
import LiberaKit
public import LiberaScreens

/// What came of an errand, in the person's language, for the system to show or say.
public enum ErrandWords {
  public static func of(_ said: Errands.Said) -> String { of(said, in: .system) }
  public static func of(_ taken: Errands.Taken) -> String { of(taken, in: .system) }
  public static func of(_ error: any Error) -> String { LiberaError(telling: error).description }

  static func of(_ said: Errands.Said, in words: Words) -> String {
    var lines = [said.answer]
    if said.finding == .probably { lines.append(words(.probably)) }
    if !said.documents.isEmpty { lines.append("\(words(.evidenceTitle)): " + said.documents.joined(separator: ", ")) }
    return lines.joined(separator: "\n")
  }

  static func of(_ taken: Errands.Taken, in words: Words) -> String {
    let counts = words(
      .imported, words.number(taken.imported), words.number(taken.skipped), words.number(taken.failed))
    return ([counts] + taken.reasons).joined(separator: "\n")
  }
}
