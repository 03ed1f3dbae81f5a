#if os(Linux)
  package import Foundation

  /// Reads `/proc` and `/sys` below `root`, so that a test can supply a laptop. Every source is optional.
  package struct LinuxSensors: Sensors {
    let files: SystemFiles

    package init(root: URL = URL(filePath: "/")) { files = SystemFiles(root: root) }

    package func read() -> Reading {
      var reading = Reading()
      reading.temperatures = thermalZones() + hardwareMonitors()
      reading.frequencyShare = frequencyShare()
      reading.processorStalled = files.text("proc/pressure/cpu").flatMap { stalled($0).some }
      reading.memory = memory()
      reading.lowPower = lowPower()
      readPower(into: &reading)
      if reading.temperatures.isEmpty {
        reading.unknown["heat"] = "neither /sys/class/thermal nor /sys/class/hwmon shows the processor's temperature"
      }
      if reading.frequencyShare == nil { reading.unknown["frequency"] = "no cpufreq below /sys/devices/system/cpu" }
      if reading.memory == nil { reading.unknown["memory"] = "/proc/meminfo has no MemAvailable" }
      if reading.memory?.someStalled == nil { reading.unknown["pressure"] = "no /proc/pressure/memory on this kernel" }
      if reading.battery == nil {
        reading.unknown["battery"] = "no battery below /sys/class/power_supply; mains power is assumed"
      }
      if reading.lowPower == nil { reading.unknown["low_power"] = "no platform profile and no energy preference" }
      return reading
    }

    package func alarms() -> AsyncStream<Void> { PressureAlarm.stream(files.path("proc/pressure/memory")) }

    package func memory(of process: Int32) -> ProcessMemory? {
      let lines = files.table("proc/\(process)/status")
      guard let resident = lines["VmRSS"], let own = lines["RssAnon"] else { return nil }
      return ProcessMemory(resident: resident << 10, own: (own + (lines["RssShmem"] ?? 0)) << 10)
    }

    /// RAPL's whole packages; their parts are contained in them. Most systems show it to the administrator alone.
    package func joules() -> Double? {
      let packages = files.names("sys/class/powercap", prefix: "intel-rapl:").filter {
        $0.split(separator: ":").count == 2 && files.word("sys/class/powercap/\($0)/name")?.hasPrefix("package") == true
      }
      let counts = packages.compactMap { files.number("sys/class/powercap/\($0)/energy_uj") }
      return counts.isEmpty ? nil : Double(counts.reduce(0, +)) / 1e6
    }

    package func device() -> Device {
      let cores = ProcessInfo.processInfo.activeProcessorCount
      let quota = ControlGroups(files).cores.map { max(1, Int($0.rounded(.down))) }
      return Device(
        totalMemory: memory()?.total ?? ProcessInfo.processInfo.physicalMemory, cores: min(cores, quota ?? cores))
    }

    // MARK: Heat

    /// Zones whose trip points say what is hot, or which are known to be the processor. Others (radio, disk) do not count.
    private func thermalZones() -> [Temperature] {
      files.names("sys/class/thermal", prefix: "thermal_zone").compactMap { zone in
        let folder = "sys/class/thermal/\(zone)"
        guard let celsius = files.celsius("\(folder)/temp"), let type = files.word("\(folder)/type") else { return nil }
        var one = Temperature(type, celsius: celsius)
        for file in files.names(folder, prefix: "trip_point_") where file.hasSuffix("_type") {
          let value = files.celsius("\(folder)/\(file.dropLast(4))temp")
          // Firmware leaves unset trip points at 0 or absurd values.
          guard let value, (45...125).contains(value) else { continue }
          switch files.word("\(folder)/\(file)") {
          case "passive": one.passive = min(one.passive ?? value, value)
          case "hot": one.hot = min(one.hot ?? value, value)
          case "critical": one.critical = min(one.critical ?? value, value)
          default: break
          }
        }
        let known = one.passive != nil || one.hot != nil || one.critical != nil
        return known || Self.isProcessor(type) ? one : nil
      }
    }

    private func hardwareMonitors() -> [Temperature] {
      files.names("sys/class/hwmon", prefix: "hwmon").flatMap { chip -> [Temperature] in
        let folder = "sys/class/hwmon/\(chip)"
        guard let name = files.word("\(folder)/name"), Self.isProcessor(name) else { return [] }
        return files.names(folder, prefix: "temp").filter { $0.hasSuffix("_input") }.compactMap { file in
          guard let celsius = files.celsius("\(folder)/\(file)") else { return nil }
          let stem = "\(folder)/\(file.dropLast("_input".count))"
          let label = files.text("\(stem)_label")?.trimmingCharacters(in: .whitespacesAndNewlines) ?? name
          let limits = [files.celsius("\(stem)_crit"), files.celsius("\(stem)_max")].compactMap { $0 }
          return Temperature(label, celsius: celsius, critical: limits.first { (60...125).contains($0) })
        }
      }
    }

    private static func isProcessor(_ name: String) -> Bool {
      let name = name.lowercased()
      return ["cpu", "soc", "coretemp", "k10temp", "zenpower", "x86_pkg_temp", "acpitz"].contains { name.contains($0) }
    }

    private func frequencyShare() -> Double? {
      files.names("sys/devices/system/cpu", prefix: "cpu").compactMap { cpu -> Double? in
        let folder = "sys/devices/system/cpu/\(cpu)/cpufreq"
        guard let allowed = files.number("\(folder)/scaling_max_freq"),
          let top = files.number("\(folder)/cpuinfo_max_freq"), top > 0
        else { return nil }
        return Double(allowed) / Double(top)
      }.min()
    }

    // MARK: Memory

    private func memory() -> MemoryReading? {
      let lines = files.table("proc/meminfo")
      guard let available = lines["MemAvailable"], let total = lines["MemTotal"] else { return nil }
      var reading = MemoryReading(available: available << 10, total: total << 10)
      let groups = ControlGroups(files)
      if let bound = groups.tightest, bound.limit < reading.total {
        reading.total = bound.limit
        if bound.free < reading.available {
          reading.available = bound.free
          reading.boundBy = bound.name
        }
        (reading.limitEvents, reading.kills) = (bound.events, bound.kills)
      }
      // The group's own pressure where it has one: what other groups suffer is not ours to act on.
      let pressure = groups.tightest?.pressure ?? files.text("proc/pressure/memory")
      if let pressure { (reading.someStalled, reading.allStalled) = stalled(pressure) }
      return reading
    }

    /// Percent of the last ten seconds, as the kernel writes them.
    private func stalled(_ pressure: String) -> (some: Double?, all: Double?) {
      func average(_ kind: String) -> Double? {
        let line = pressure.split(separator: "\n").first { $0.hasPrefix(kind) }
        return line?.split(separator: " ").first { $0.hasPrefix("avg10=") }.flatMap { Double($0.dropFirst(6)) }
      }
      return (average("some "), average("full "))
    }

    // MARK: Power

    private func readPower(into reading: inout Reading) {
      var charges: [Double] = []
      var watts: Double?
      for supply in files.names("sys/class/power_supply", prefix: "") {
        let folder = "sys/class/power_supply/\(supply)"
        // A mouse or headset also has a battery.
        guard files.word("\(folder)/scope") != "Device" else { continue }
        switch files.word("\(folder)/type") {
        case "Mains", "USB", "Wireless":
          if let online = files.number("\(folder)/online") { reading.onMains = reading.onMains == true || online > 0 }
        case "Battery":
          guard let charge = files.number("\(folder)/capacity"), (0...100).contains(charge) else { continue }
          charges.append(Double(charge) / 100)
          let status = files.word("\(folder)/status")
          if status == "Discharging" { watts = (watts ?? 0) + (draw(folder) ?? 0) }
          if status == "Charging" || status == "Full" { reading.onMains = reading.onMains ?? true }
          if status == "Discharging" { reading.onMains = reading.onMains ?? false }
        default: break
        }
      }
      if !charges.isEmpty { reading.battery = charges.reduce(0, +) / Double(charges.count) }
      reading.dischargeWatts = watts.flatMap { $0 > 0 ? $0 : nil }
    }

    private func draw(_ folder: String) -> Double? {
      if let micro = files.number("\(folder)/power_now") { return Double(abs(micro)) / 1e6 }
      guard let ampere = files.number("\(folder)/current_now"), let volt = files.number("\(folder)/voltage_now") else {
        return nil
      }
      return Double(abs(ampere)) / 1e6 * Double(volt) / 1e6
    }

    private func lowPower() -> Bool? {
      if let profile = files.word("sys/firmware/acpi/platform_profile") { return profile == "low-power" }
      return files.word("sys/devices/system/cpu/cpu0/cpufreq/energy_performance_preference").map { $0 == "power" }
    }
  }

  /// Small files below a root. A file that is absent, unreadable or malformed reads as nil: its absence is what is reported.
  struct SystemFiles: Sendable {
    let root: URL

    func path(_ path: String) -> String { root.appending(path: path).path }

    func text(_ path: String) -> String? {
      guard let file = fopen(self.path(path), "re") else { return nil }
      defer { fclose(file) }
      var bytes = [UInt8](repeating: 0, count: 64 << 10)
      let count = fread(&bytes, 1, bytes.count, file)
      return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }
    func word(_ path: String) -> String? { text(path)?.split(whereSeparator: \.isWhitespace).first.map(String.init) }
    func number(_ path: String) -> Int64? { word(path).flatMap { Int64($0) } }

    /// Millidegrees, without what no processor can have.
    func celsius(_ path: String) -> Double? {
      guard let value = number(path).map({ Double($0) / 1000 }), (-40...150).contains(value) else { return nil }
      return value
    }

    /// "name: number unit" or "name number" lines.
    func table(_ path: String) -> [String: UInt64] {
      var table: [String: UInt64] = [:]
      for line in text(path)?.split(separator: "\n") ?? [] {
        let parts = line.split(whereSeparator: { $0 == " " || $0 == ":" || $0 == "\t" })
        if parts.count >= 2, let value = UInt64(parts[1]) { table[String(parts[0])] = value }
      }
      return table
    }

    func names(_ folder: String, prefix: String) -> [String] {
      // A device without such sensors has no such folder.
      guard let all = try? FileManager.default.contentsOfDirectory(atPath: path(folder)) else { return [] }
      return all.filter { $0.hasPrefix(prefix) }.sorted()
    }
  }
#endif
