import Foundation

/// What was measured, as a table for people and JSON for programs.
struct Report: Codable {
  var threads: Int
  var loadMs: Double
  var accuracy: [Accuracy.Result] = []
  var latency: Latency.Result?
  var falseWords: [FalseWords.Result] = []

  init(threads: Int, loadMs: Double) {
    self.threads = threads
    self.loadMs = loadMs
  }

  func write(to folder: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(self).write(to: folder.appending(path: "results.json"), options: .atomic)
    try Data(markdown.utf8).write(to: folder.appending(path: "results.md"), options: .atomic)
  }

  var markdown: String {
    var lines = [
      "# Speech", "", "\(threads) threads, packs loaded in \(Int(loadMs)) ms, all in one run on one machine.", "",
    ]
    if let latency {
      lines += [
        "## Fed in real time", "", "| what | value | goal |", "|---|---|---|",
        "| final text after the true end of speech, p50 / p95 | \(Int(latency.finalMsP50)) / \(Int(latency.finalMsP95)) ms | 450 ms |",
        "| first words shown after speech began, p50 | \(Int(latency.firstPartialMsP50)) ms | |",
        "| between partials, p50 / p95 | \(Int(latency.partialMsP50)) / \(Int(latency.partialMsP95)) ms | 250-400 ms |",
        "| confirmed words that changed, of \(latency.partials) partials | \(latency.confirmedWordsChanged) | 0 |",
        "| decodes discarded because speech went on | \(latency.discardedDecodes), \(Int(latency.discardedMs)) ms | |",
        String(format: "| processor seconds per second of sound | %.2f | |", latency.cpuSecondsPerSecond),
        String(format: "| word errors, %d commands | %.1f %% | |", latency.commands, latency.wordErrors),
        "| memory of the worker | \(Int(latency.footprintMB)) MB | |", "",
      ]
    }
    if !falseWords.isEmpty {
      lines += [
        "## Words where none were said", "", "| sound | minutes | words per hour | heard |", "|---|---|---|---|",
      ]
      lines += falseWords.map {
        "| \($0.sound) | \(Int($0.minutes)) | \(Int($0.wordsPerHour)) | \($0.heard.prefix(60)) |"
      }
      lines.append("")
    }
    for result in accuracy {
      lines += [
        "## Word errors: \(result.name) (\(result.clips) clips, \(result.words) words)", "",
        result.hasTexts
          ? "Against the texts." : "No texts are published: the share of words that differ from whisper.cpp's.",
        "", "| system | errors | 95 % interval | seconds per second of sound |", "|---|---|---|---|",
      ]
      lines += result.rows.map {
        String(
          format: "| %@ | %.1f %% | %.1f to %.1f | %.2f |", $0.system, $0.errors, $0.low, $0.high, $0.realTimeFactor)
      }
      if result.hasTexts {
        lines += [
          "",
          String(
            format: "libera base minus whisper.cpp: %.1f points (%.1f to %.1f).", result.difference[0],
            result.difference[1], result.difference[2]),
        ]
      }
      lines.append("")
    }
    return lines.joined(separator: "\n")
  }
}
