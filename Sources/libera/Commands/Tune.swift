import Assistant
import Core
import Inference

enum TuneCommand: Command {
  static let name = "tune"
  static let summary = "measure how a pack computes fastest on this device, and keep it"
  static let examples = ["libera tune", "libera tune smollm2-135m-instruct-q4_1"]
  static let usage = "[PACK]"

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    try arguments.only(0...1, "")
    let terminal = context.terminal
    let (door, pack) = (try await context.door(), arguments.words.first)
    try await Interrupt.cancelling {
      for try await event in door.call(Tune.self, Tune.Input(pack: pack)) {
        try context.show(event) {
          if let pack = event.pack {
            terminal.line(terminal.styled(pack, .bold))
            terminal.line("  " + say("threads  batch  context as  flash  prompt tokens/s  answer tokens/s"))
          }
          if let row = event.row { terminal.line("  " + Self.words(row)) }
          if let chosen = event.chosen {
            let flash = chosen.flashAttention ? say("with flash attention") : say("without flash attention")
            let kept = "\(chosen.kvType.rawValue), \(flash)"
            terminal.line("  " + say("kept: \(chosen.threads) threads, batch \(chosen.microBatch), \(kept)"))
          }
          if let doubt = event.doubt {
            terminal.line("  " + say("for now: \(told(doubt)). It is measured again when the pack loads in quiet."))
          }
        }
      }
    }
  }

  private static func words(_ row: TuneRow) -> String {
    [
      "\(row.threads)".padded(to: 7), "\(row.microBatch)".padded(to: 5), row.kvType.rawValue.padded(to: 10),
      (row.flashAttention ? say("on") : say("off")).padded(to: 5),
      "\(Int(row.promptTokensPerSecond))".padded(to: 15), "\(Int(row.tokensPerSecond))",
    ].joined(separator: "  ")
  }
}
