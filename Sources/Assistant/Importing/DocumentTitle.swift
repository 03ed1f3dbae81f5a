import Foundation
import Retrieval

/// What a document is called.
enum DocumentTitle {
  /// By its own title; where the name of its file says that and more, by that: of two payslips "Payslip-Oct-2026.pdf" tells which.
  static func of(_ title: String, file: String) -> String {
    let name = (file as NSString).lastPathComponent
    guard !title.isEmpty else { return name }
    let spoken = spoken((name as NSString).deletingPathExtension)
    let own = Set(Question.words(in: title))
    return !own.isEmpty && own.isStrictSubset(of: Question.words(in: spoken)) ? spoken : title
  }

  /// "Payslip_Oct-2026" as words, where nothing but marks parts them; "2026-10" is one.
  private static func spoken(_ stem: String) -> String {
    let spaced = stem.replacing("_", with: " ")
    guard !spaced.contains(" ") else { return spaced }
    return spaced.split(separator: "-").reduce(into: "") { said, part in
      let isNumber = said.last?.isNumber == true && part.first?.isNumber == true
      said += (said.isEmpty ? "" : isNumber ? "-" : " ") + part
    }
  }
}
