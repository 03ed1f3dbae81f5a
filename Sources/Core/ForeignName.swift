import Foundation

/// Names and paths that others wrote, taken apart byte by byte as the system does. Swift counts a slash and a joining sign after it as
/// one letter that is no slash, so nothing that becomes a path may be split or compared letter by letter.
package enum ForeignName {
  /// What stands between the slashes, empty parts too.
  package static func parts(_ path: String) -> [String] {
    path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { String(Substring($0)) }
  }

  /// Whether it can be a file's name in its folder: one part of a path, and none that leads elsewhere.
  package static func isPart(_ name: String) -> Bool {
    !["", ".", ".."].contains(name) && name.utf8.count <= 255
      && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
  }

  /// Whether a path is the folder or lies in it; both without links and "..".
  package static func lies(_ path: String, in folder: String) -> Bool {
    Array((path + "/").utf8).starts(with: folder == "/" ? Array("/".utf8) : Array((folder + "/").utf8))
  }

  /// A name that stays in its folder, is seen in a list and fits every file system: the last part of what was given, nothing hidden,
  /// no sign that steers how text is shown, and no longer than 100 letters with what it ends in.
  package static func file(_ name: String, separators: String = "/\\") -> String {
    let separators = Set(separators.utf8)
    let last = name.utf8.split(whereSeparator: separators.contains).last.map { String(Substring($0)) } ?? ""
    let seen = last.unicodeScalars.filter {
      ![.control, .format, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory)
    }
    let plain = String(String.UnicodeScalarView(seen)).drop { $0 == "." || $0 == " " }
    guard !plain.isEmpty else { return "file" }
    guard plain.count > 100 || plain.utf8.count > 200 else { return String(plain) }
    let end = plain.split(separator: ".").last ?? ""
    let ending = end.utf8.count <= 10 && end.count < plain.count ? ".\(end)" : ""
    var stem = plain.prefix(90)
    // By signs: one letter may have more than that, and of it a part is left.
    while stem.utf8.count > 180 { stem.unicodeScalars.removeLast() }
    return stem + ending
  }
}
