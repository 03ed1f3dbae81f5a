public import LiberaKit
import Synchronization
import os

/// The parts of answers as signposts of the system's log: Instruments shows them beside the processor, the memory and the graphics.
public struct AppleSignposts: AnswerSignposts {
  private static let signposter = OSSignposter(subsystem: "org.libera.LiberaGPT", category: "answers")

  public init() {}

  public func begin() -> any AnswerSignpost { Answer(Self.signposter) }

  /// An interval for the answer, and within it one after the other for its parts, whose names are known at their ends.
  private final class Answer: AnswerSignpost {
    private struct Open {
      let whole: OSSignpostIntervalState
      var part: OSSignpostIntervalState
    }
    private let signposter: OSSignposter
    private let id: OSSignpostID
    private let open: Mutex<Open>

    init(_ signposter: OSSignposter) {
      let id = signposter.makeSignpostID()
      (self.signposter, self.id) = (signposter, id)
      open = Mutex(
        Open(
          whole: signposter.beginInterval("answer", id: id), part: signposter.beginInterval("part", id: id)))
    }

    func ended(_ name: String) {
      open.withLock { open in
        signposter.endInterval("part", open.part, "\(name, privacy: .public)")
        open.part = signposter.beginInterval("part", id: id)
      }
    }

    func over(_ facts: [String: String]) {
      let told = facts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
      open.withLock { open in
        signposter.endInterval("part", open.part, "what came last")
        signposter.endInterval("answer", open.whole, "\(told, privacy: .public)")
      }
    }
  }
}
