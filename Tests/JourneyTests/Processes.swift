import Foundation
import TestSupport

/// Processes of this machine as /proc shows them.
enum Processes {
  /// The workers of one kind below a process, at any depth; all of its descendants without a kind.
  static func workers(_ kind: String? = nil, of owner: Int32) -> [Int32] {
    var found: [Int32] = []
    for child in children(of: owner) {
      let words = commandLine(child)
      let isWanted = kind.map { words.first?.hasSuffix("libera-worker") == true && words.dropFirst().first == $0 }
      if isWanted ?? true { found.append(child) }
      found += workers(kind, of: child)
    }
    return found
  }

  /// A process that has ended and that nobody has waited for counts as gone.
  static func isAlive(_ process: Int32) -> Bool { state(process).map { !["Z", "X"].contains($0.letter) } ?? false }

  private static func children(of parent: Int32) -> [Int32] { all.filter { state($0)?.parent == parent } }

  private static var all: [Int32] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []  // none: the test then fails
    return names.compactMap { Int32($0) }
  }

  private static func state(_ process: Int32) -> (letter: String, parent: Int32)? {
    guard let data = FileManager.default.contents(atPath: "/proc/\(process)/stat") else { return nil }
    // The name stands in brackets and may hold anything, so the fields are counted from its end.
    let fields = String(decoding: data, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 1, let parent = Int32(fields[1]) else { return nil }
    return (String(fields[0]), parent)
  }

  /// The name of the program's file.
  static func program(_ process: Int32) -> String? {
    commandLine(process).first.map { URL(filePath: $0).lastPathComponent }
  }

  private static func commandLine(_ process: Int32) -> [String] {
    let data = FileManager.default.contents(atPath: "/proc/\(process)/cmdline") ?? Data()
    return data.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }
}

/// Looks again and again until it is so; false when it does not come about.
func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
  for _ in 0..<60_000 {
    if try await condition() { return true }
    try await Task.sleep(for: .milliseconds(10))
  }
  return false
}

/// Whether this machine lets a person make namespaces; where it does not, tests that need them are skipped.
enum Namespaces {
  static let areAllowed = (try? Tool.run(["unshare", "-rnm", "true"], isQuiet: true).status) == 0

  static let withoutInterface = ["unshare", "-rn"]

  /// Runs what follows with a file system of its own at `place`.
  static func mounting(_ options: String, at place: URL) -> [String] {
    ["unshare", "-rm", "sh", "-c", "mount -t tmpfs -o mode=700,\(options) tmpfs '\(place.path)' && exec \"$@\"", "sh"]
  }
}
