#if os(Linux)
  import Foundation

  /// The control groups this process lives in, versions 1 and 2, and every group above them: the tightest one binds.
  struct ControlGroups {
    struct Bound {
      var name: String
      var limit: UInt64
      var free: UInt64
      var events: UInt64?
      var kills: UInt64?
      var pressure: String?
    }

    private let files: SystemFiles
    private var memoryPath: String?  // version 1
    private var processorPath: String?  // version 1
    private var unifiedPath: String?  // version 2

    init(_ files: SystemFiles) {
      self.files = files
      for line in files.text("proc/self/cgroup")?.split(separator: "\n") ?? [] {
        let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { continue }
        let controllers = parts[1].split(separator: ",")
        if controllers.contains("memory") { memoryPath = String(parts[2]) }
        if controllers.contains("cpu") { processorPath = String(parts[2]) }
        if parts[0] == "0", parts[1].isEmpty { unifiedPath = String(parts[2]) }
      }
    }

    var tightest: Bound? { bounds.min { $0.free < $1.free } }

    private var bounds: [Bound] {
      let first = memoryPath.map { groups($0, below: ["sys/fs/cgroup/memory"]).compactMap(version1) } ?? []
      let second = unifiedPath.map { groups($0, below: Self.unified).compactMap(version2) } ?? []
      return first + second
    }
    private static let unified = ["sys/fs/cgroup", "sys/fs/cgroup/unified"]

    /// The group and its ancestors. Inside a container the path may start above what is mounted: then the mount itself stands.
    private func groups(_ path: String, below mounts: [String]) -> [String] {
      let parts = path.split(separator: "/").filter { $0 != ".." }
      return mounts.flatMap { mount in
        (0...parts.count).reversed().map { ([mount] + parts.prefix($0).map(String.init)).joined(separator: "/") }
      }
    }

    private func version1(_ group: String) -> Bound? {
      guard let limit = files.number("\(group)/memory.limit_in_bytes"), limit > 0, limit < 1 << 60,
        let used = files.number("\(group)/memory.usage_in_bytes")
      else { return nil }
      let reclaimable = files.table("\(group)/memory.stat")["total_inactive_file"] ?? 0
      return bound(
        group, limit: UInt64(limit), used: UInt64(max(0, used)), reclaimable: reclaimable,
        events: files.number("\(group)/memory.failcnt"), kills: files.table("\(group)/memory.oom_control")["oom_kill"])
    }

    private func version2(_ group: String) -> Bound? {
      // Above `memory.high` a group is slowed down, which hurts as much as the limit itself.
      let limits = [files.number("\(group)/memory.max"), files.number("\(group)/memory.high")].compactMap { $0 }
      guard let limit = limits.filter({ $0 > 0 }).min(), let used = files.number("\(group)/memory.current") else {
        return nil
      }
      let events = files.table("\(group)/memory.events")
      var bound = bound(
        group, limit: UInt64(limit), used: UInt64(max(0, used)),
        reclaimable: files.table("\(group)/memory.stat")["inactive_file"] ?? 0,
        events: Int64(clamping: (events["high"] ?? 0) + (events["max"] ?? 0)), kills: events["oom_kill"])
      bound.pressure = files.text("\(group)/memory.pressure")
      return bound
    }

    private func bound(
      _ group: String, limit: UInt64, used: UInt64, reclaimable: UInt64, events: Int64?, kills: UInt64?
    ) -> Bound {
      let held = used - min(used, reclaimable)
      let name = group.split(separator: "/").last.map { "control group \($0)" } ?? "control group"
      return Bound(
        name: name, limit: limit, free: limit - min(limit, held), events: events.map { UInt64(max(0, $0)) },
        kills: kills)
    }

    /// Processors' worth of time the tightest group may use.
    var cores: Double? {
      var shares: [Double] = []
      for group in processorPath.map({ groups($0, below: ["sys/fs/cgroup/cpu", "sys/fs/cgroup/cpu,cpuacct"]) }) ?? [] {
        if let quota = files.number("\(group)/cpu.cfs_quota_us"), quota > 0,
          let period = files.number("\(group)/cpu.cfs_period_us"), period > 0
        {
          shares.append(Double(quota) / Double(period))
        }
      }
      for group in unifiedPath.map({ groups($0, below: Self.unified) }) ?? [] {
        let parts =
          files.text("\(group)/cpu.max")?.split(whereSeparator: \.isWhitespace).compactMap { Double($0) } ?? []
        if parts.count == 2, parts[1] > 0 { shares.append(parts[0] / parts[1]) }
      }
      return shares.min()
    }
  }
#endif
