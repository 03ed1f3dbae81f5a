package import Foundation

/// How much memory a new process can really take: what the kernel calls available, within every control group above us.
/// The root folder is injected, so that tests can supply another machine.
package enum AvailableMemory {
  package static func read(root: URL = URL(filePath: "/")) -> Int64? {
    let system = text(root, "proc/meminfo").flatMap(available)
    return ([system] + groups(root)).compactMap { $0 }.min()
  }

  static func available(_ meminfo: String) -> Int64? {
    for line in meminfo.split(separator: "\n") where line.hasPrefix("MemAvailable:") {
      let words = line.split(separator: " ")
      return words.count > 1 ? Int64(words[1]).map { $0 * 1024 } : nil
    }
    return nil
  }

  /// What is left in each group from ours up to the root, in both versions of the interface.
  private static func groups(_ root: URL) -> [Int64?] {
    guard let memberships = text(root, "proc/self/cgroup") else { return [] }
    return memberships.split(separator: "\n").flatMap { line -> [Int64?] in
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3 else { return [] }
      let unified = fields[0] == "0" && fields[1].isEmpty
      guard unified || fields[1].split(separator: ",").contains("memory") else { return [] }
      let base = unified ? "sys/fs/cgroup" : "sys/fs/cgroup/memory"
      return ancestors(String(fields[2])).map { left(root, base + $0, unified: unified) }
    }
  }

  private static func ancestors(_ path: String) -> [String] {
    var parts = path.split(separator: "/").map(String.init)
    var found = [""]
    while !parts.isEmpty {
      found.append("/" + parts.joined(separator: "/"))
      parts.removeLast()
    }
    return found
  }

  private static func left(_ root: URL, _ group: String, unified: Bool) -> Int64? {
    let names =
      unified
      ? ("memory.max", "memory.current", "inactive_file")
      : ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
    guard let limit = number(root, "\(group)/\(names.0)"), limit < 1 << 60,
      let used = number(root, "\(group)/\(names.1)")
    else { return nil }
    // File pages not in use go when memory is asked for.
    var idle: Int64 = 0
    for line in (text(root, "\(group)/memory.stat") ?? "").split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count == 2, words[0] == names.2 { idle = Int64(words[1]) ?? 0 }
    }
    return max(0, limit - used + min(idle, used))
  }

  private static func number(_ root: URL, _ path: String) -> Int64? {
    // Version 1 writes its "no limit" as the largest page-aligned number; version 2 writes "max".
    text(root, path).flatMap { Int64($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
  }

  private static func text(_ root: URL, _ path: String) -> String? {
    guard let handle = FileHandle(forReadingAtPath: root.appending(path: path).path) else { return nil }
    defer { Disk.close(handle) }
    // These sources are optional: one that cannot be read is unknown, not an error.
    do { return try handle.read(upToCount: 1 << 16).map { String(decoding: $0, as: UTF8.self) } } catch { return nil }
  }
}
