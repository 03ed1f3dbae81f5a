public import LiberaKit

/// Questions and answers that were kept in one place of a conversation, of which one is shown.
public struct Versions: Sendable, Equatable {
  /// From 1, in the order they were written.
  public let number: Int
  public let count: Int
  public let earlier: ConversationTurn.ID?
  public let later: ConversationTurn.ID?

  /// nil: there is no other, or the turn is not on the branch that is shown.
  public init?(of id: ConversationTurn.ID, in kept: [ConversationTurn]) {
    guard let turn = kept.first(where: { $0.id == id }), turn.isShown else { return nil }
    // A question without an answer is no version to go back to.
    let all = kept.filter { $0.parent == turn.parent && ($0.text != nil || $0.id == id) }.map(\.id)
    guard all.count > 1, let place = all.firstIndex(of: id) else { return nil }
    (number, count) = (place + 1, all.count)
    earlier = place > 0 ? all[place - 1] : nil
    later = place + 1 < all.count ? all[place + 1] : nil
  }
}
