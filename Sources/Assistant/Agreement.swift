import Foundation
import Inference
import Models
import Workers

/// How far a derived layout still says what the published weights say: both read the same paragraphs, and the share of
/// positions counts at which they would write the same next token. Where the published weights are all but undecided
/// between two tokens, any rounding tips them, also of the same weights in another kernel: such positions do not count.
enum Agreement {
  static func measure(_ published: URL, _ derived: URL, on host: WorkerHost) async throws -> Double {
    share(try await predictions(of: published, on: host), try await predictions(of: derived, on: host))
  }

  /// A token counts as decided when it is a quarter likelier than the next best one.
  static let leastLead: Float = 0.223

  static func share(_ published: [[Prediction]], _ derived: [[Prediction]]) -> Double {
    guard published.map(\.count) == derived.map(\.count) else { return 0 }
    let decided = zip(published.joined(), derived.joined()).filter { $0.0.lead >= leastLead }
    return decided.isEmpty ? 0 : Double(decided.filter { $0.0.token == $0.1.token }.count) / Double(decided.count)
  }

  /// One after the other, so that both never lie in memory together.
  private static func predictions(of weights: URL, on host: WorkerHost) async throws -> [[Prediction]] {
    let threads = max(1, ProcessInfo.processInfo.activeProcessorCount / 2)
    let size = UInt64(max(0, Disk.size(weights) ?? 0))
    let model = TextModel(
      pack: weights, request: LoadRequest(contextTokens: 512, threads: threads), footprintBytes: size * 2, on: host)
    do {
      let result = try await model.predict(paragraphs)
      await model.unload()
      return result
    } catch {
      await model.unload()
      throw error
    }
  }

  /// Prose, instructions, numbers, another language and code: what packs are asked about.
  static let paragraphs = [
    """
    The lighthouse keeper climbed the stairs twice a day, once to trim the lamp and once to write the weather into the \
    book. In winter the wind came from the north-east and pressed salt against the panes, so that by evening the light \
    seemed to shine through milk. He did not mind. Ships passed far out, their lanterns small as seeds, and he counted \
    them the way other people count their blessings, slowly and without expecting the sum to change.
    """,
    """
    To renew the permit, fill in both sides of the form, attach a copy of your identity card and pay the fee of 38 euros \
    at the desk or by transfer. Applications that arrive before 15 March are decided within four weeks. If a document is \
    missing, the office writes to you and the period begins again on the day on which it is received. Keep the receipt.
    """,
    """
    Question: A train leaves at 14:20 and needs 95 minutes. When does it arrive, and how long must a traveller wait for \
    the bus at 16:10? Answer: 95 minutes are one hour and 35 minutes, so the train arrives at 15:55. The bus leaves 15 \
    minutes later.
    """,
    """
    Der Vertrag wird auf unbestimmte Zeit geschlossen. Er kann von jeder Seite mit einer Frist von drei Monaten zum Ende \
    eines Kalenderjahres schriftlich gekündigt werden. Die Miete ist am ersten Werktag eines Monats fällig.
    """,
    """
    def median(values):
        ordered = sorted(values)
        middle = len(ordered) // 2
        if len(ordered) % 2:
            return ordered[middle]
        return (ordered[middle - 1] + ordered[middle]) / 2
    """,
  ]
}
