import Foundation

/// A memory control group made for one test, below the group this process lives in: what happens in it starves nobody else.
struct MemoryGroup {
  private let folder: URL
  private let isUnified: Bool
  private let limit: Int

  /// The folder below which groups can be made, and whether it is of version 2.
  private static let parent: (folder: URL, isUnified: Bool)? = {
    guard let text = try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8) else { return nil }
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { continue }
      let isUnified = parts[0] == "0"
      guard isUnified || parts[1].split(separator: ",").contains("memory") else { continue }
      let mount = isUnified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory"
      for path in [mount + parts[2], mount] {
        let trial = URL(filePath: path).appending(path: "libera-trial-\(UUID().uuidString)")
        guard mkdir(trial.path, 0o755) == 0 else { continue }
        let name = isUnified ? "memory.max" : "memory.limit_in_bytes"
        let hasMemory = access(trial.appending(path: name).path, W_OK) == 0
        rmdir(trial.path)
        if hasMemory { return (URL(filePath: path), isUnified) }
      }
    }
    return nil
  }()

  static let isPossible = parent != nil

  init(megabytes: Int) throws {
    let parent = Self.parent!
    (folder, isUnified, limit) = (
      parent.folder.appending(path: "libera-test-\(UUID().uuidString)"), parent.isUnified, megabytes << 20
    )
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    try write("\(limit)", to: isUnified ? "memory.max" : "memory.limit_in_bytes")
  }

  /// What a command is put through to live in the group.
  var inside: [String] {
    ["sh", "-c", "echo $$ > '\(folder.appending(path: "cgroup.procs").path)' && exec \"$@\"", "sh"]
  }

  /// Another program in the group that takes memory until so many megabytes are left; fewer than none is more than there is.
  func allocate(leaving megabytes: Int) throws -> Process {
    let free = limit - (try used())
    let wanted = max(0, free - megabytes << 20)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    let take = """
      import sys, time
      taken = []
      for _ in range(\(wanted >> 20)):
          taken.append(bytearray(b"x" * (1 << 20)))
          time.sleep(0.001)
      time.sleep(600)
      """
    process.arguments = inside + ["python3", "-c", take]
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }

  func release(_ process: Process) async throws {
    kill(process.processIdentifier, SIGKILL)
    while process.isRunning { try await Task.sleep(for: .milliseconds(10)) }
  }

  func remove() throws {
    // The last member may still be ending.
    for _ in 0..<500 where rmdir(folder.path) != 0 { usleep(10_000) }
  }

  func used() throws -> Int {
    let name = isUnified ? "memory.current" : "memory.usage_in_bytes"
    let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    let reclaimable = try String(contentsOf: folder.appending(path: "memory.stat"), encoding: .utf8)
      .split(separator: "\n").first { $0.hasPrefix(isUnified ? "inactive_file " : "total_inactive_file ") }
    let files = reclaimable?.split(separator: " ").last.flatMap { Int($0) } ?? 0
    return (Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0) - files
  }

  private func write(_ text: String, to name: String) throws {
    let handle = try FileHandle(forWritingTo: folder.appending(path: name))
    try handle.write(contentsOf: Data(text.utf8))
    try handle.close()
  }
}
