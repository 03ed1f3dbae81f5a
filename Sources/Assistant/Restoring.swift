import Commands
import Core
import Foundation
import Retrieval
import Storage

extension Restore.Readers {
  /// How this program reads what a backup holds besides words.
  static let ofTheHouse = Restore.Readers(
    isRecord: { reads(KeptAnswer.self, $0) || reads(KeptCall.self, $0) },
    isHeadings: { reads([Chunker.Heading].self, $0) },
    settleActions: { try RestoredActions($0, movingTo: $1).settle() })

  private static func reads<Value: Decodable>(_ type: Value.Type, _ text: String) -> Bool {
    do {
      _ = try JSON.decode(type, from: Data(text.utf8))
      return true
    } catch { return false }
  }
}
