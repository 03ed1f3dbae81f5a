import Foundation
import Workers

/// What the parse worker reads besides the files handed to it; its seal must leave these open.
package enum ParseFolders {
  /// Where Debian, other Linux systems and Homebrew keep tesseract's languages; first the person's own choice or what a package
  /// brings along, of which a worker is told by the same variable.
  package static func recognition(
    _ environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> [String] {
    let chosen = environment["TESSDATA_PREFIX"].map { [$0] } ?? []
    return chosen + [
      "/usr/share/tesseract-ocr/5/tessdata", "/usr/share/tesseract-ocr/4.00/tessdata", "/usr/share/tessdata",
      "/usr/local/share/tessdata", "/opt/homebrew/share/tessdata",
    ]
  }

  /// For text whose font the PDF does not bring along.
  package static let fonts = ["/usr/share/fonts", "/usr/local/share/fonts", "/Library/Fonts", "/System/Library/Fonts"]

  package static var readable: [String] {
    (recognition(Worker.environment()) + fonts).filter { FileManager.default.fileExists(atPath: $0) }
  }
}
