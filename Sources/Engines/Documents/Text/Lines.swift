import Documents
import Foundation

/// Text as lines; byte-wise, because splitting by characters is several times slower.
///
/// A line that goes on and on is several: what is done with lines must not grow with the square of their length.
func lines(of text: String) -> [Substring] {
  text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).flatMap {
    $0.count > Block.mostBytes ? Block.pieces(of: Substring($0)) : [Substring($0)]
  }
}

extension StringProtocol {
  var isBlank: Bool { utf8.allSatisfy { $0 == 32 || $0 == 9 || $0 == 13 || $0 == 12 } }

  func trimmed() -> String { trimmingCharacters(in: .whitespacesAndNewlines) }

  /// Every run of white space becomes one space.
  func collapsed() -> String {
    // By scalars: to find where a letter of many ends, a row of flags would be gone through from its beginning for each of them.
    var (kept, isApart) = (String.UnicodeScalarView(), false)
    for scalar in unicodeScalars {
      if scalar.properties.isWhitespace {
        isApart = !kept.isEmpty
        continue
      }
      if isApart { kept.append(" ") }
      isApart = false
      kept.append(scalar)
    }
    return String(kept)
  }

  /// The columns of white space at the start, a tab counting four.
  var indent: Int {
    var columns = 0
    for byte in utf8 {
      if byte == 32 { columns += 1 } else if byte == 9 { columns += 4 } else { break }
    }
    return columns
  }
}
