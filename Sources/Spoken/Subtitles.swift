import Foundation

/// Words as subtitles: cues end at sentences and pauses, and are never longer than can be read.
package enum Subtitles {
  private static let mostLetters = 84
  private static let lineLetters = 42
  private static let longest = 6.0
  private static let pause = 0.8

  package static func cues(_ words: [Word]) -> [[Word]] {
    var cues: [[Word]] = []
    for word in words {
      if let cue = cues.last, let last = cue.last, let first = cue.first,
        word.start - last.end < pause, word.end - first.start <= longest, !endsSentence(last.text),
        cue.reduce(0, { $0 + $1.text.count + 1 }) + word.text.count <= mostLetters
      {
        cues[cues.count - 1].append(word)
      } else {
        cues.append([word])
      }
    }
    return cues
  }

  package static func srt(_ cues: [[Word]]) -> String {
    cues.enumerated().map { "\($0 + 1)\n\(body($1, ","))" }.joined(separator: "\n")
  }

  package static func vtt(_ cues: [[Word]]) -> String {
    (["WEBVTT\n"] + cues.map { body($0, ".") }).joined(separator: "\n")
  }

  /// A language's English name, as the OpenAI clients expect it; the code where it has none.
  package static func language(_ code: String) -> String {
    Locale(identifier: "en").localizedString(forLanguageCode: code)?.lowercased() ?? code
  }

  private static func body(_ cue: [Word], _ point: String) -> String {
    // A cue of no length is not shown by players.
    let (start, end) = (cue[0].start, max(cue[cue.count - 1].end, cue[0].start + 0.2))
    return "\(clock(start, point)) --> \(clock(end, point))\n\(lines(cue.map(\.text)))\n"
  }

  private static func endsSentence(_ word: String) -> Bool {
    word.hasSuffix(".") || word.hasSuffix("?") || word.hasSuffix("!")
  }

  private static func lines(_ words: [String]) -> String {
    var lines = [""]
    for word in words {
      let last = lines[lines.count - 1]
      if last.isEmpty {
        lines[lines.count - 1] = word
      } else if last.count + 1 + word.count <= lineLetters || lines.count == 2 {
        lines[lines.count - 1] += " " + word
      } else {
        lines.append(word)
      }
    }
    return lines.joined(separator: "\n")
  }

  static func clock(_ seconds: Double, _ point: String = ",") -> String {
    let all = Int((max(0, seconds) * 1000).rounded())
    return String(
      format: "%02d:%02d:%02d\(point)%03d", all / 3_600_000, all / 60_000 % 60, all / 1000 % 60, all % 1000)
  }
}
