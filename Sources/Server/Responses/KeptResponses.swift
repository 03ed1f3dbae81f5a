import Core
import Inference

/// What an answer of `/v1/responses` can be gone on with: the conversation up to it, by its id, for the program that it was told to.
/// In memory alone, so that it is gone when the program ends; of each program the oldest go first.
actor KeptResponses {
  private struct Kept {
    var id: String
    var party: Caller
    var conversation: [Inference.Message]
    var bytes: Int
  }

  // Of each program.
  private static let most = 64
  private static let mostBytes = 8 << 20
  /// What a message takes however little it says.
  private static let message = 256

  private var kept: [Kept] = []

  func keep(_ conversation: [Inference.Message], as id: String, for party: Caller) {
    let bytes = conversation.reduce(0) { $0 + $1.bytes + Self.message }
    kept.append(Kept(id: id, party: party, conversation: conversation, bytes: bytes))
    var (count, sum) = (0, 0)
    for place in kept.indices.reversed() where kept[place].party.isSameParty(as: party) {
      (count, sum) = (count + 1, sum + kept[place].bytes)
      if count > Self.most || sum > Self.mostBytes { kept.remove(at: place) }
    }
  }

  func forget() { kept = [] }

  /// The conversation that ends with this answer.
  func conversation(_ id: String, for party: Caller) throws -> [Inference.Message] {
    guard let found = kept.first(where: { $0.id == id && $0.party.isSameParty(as: party) }) else {
      throw ServerError.unknownResponse(id)
    }
    return found.conversation
  }
}
