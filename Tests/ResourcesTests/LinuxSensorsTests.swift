#if os(Linux)
  import Foundation
  import Testing

  @testable import Resources

  /// A folder that looks like `/` of some machine.
  private final class Machine {
    let root = FileManager.default.temporaryDirectory.appending(path: "machine-\(UUID().uuidString)")
    deinit { try? FileManager.default.removeItem(at: root) }

    init(_ files: [String: String]) throws {
      for (path, text) in files { try write(path, text) }
    }
    func write(_ path: String, _ text: String) throws {
      let file = root.appending(path: path)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data((text + "\n").utf8).write(to: file)
    }
    var sensors: LinuxSensors { LinuxSensors(root: root) }
  }

  private let meminfo = "MemTotal:       16000000 kB\nMemFree: 100 kB\nMemAvailable:    8000000 kB"
  private let laptop = [
    "proc/meminfo": meminfo,
    "proc/pressure/memory":
      "some avg10=1.50 avg60=0.00 avg300=0.00 total=9\nfull avg10=0.25 avg60=0.00 avg300=0.00 total=1",
    "proc/pressure/cpu": "some avg10=42.00 avg60=0.00 avg300=0.00 total=9",
    "sys/class/thermal/thermal_zone0/type": "x86_pkg_temp", "sys/class/thermal/thermal_zone0/temp": "71000",
    "sys/class/thermal/thermal_zone0/trip_point_0_type": "passive",
    "sys/class/thermal/thermal_zone0/trip_point_0_temp": "0",
    "sys/class/thermal/thermal_zone0/trip_point_1_type": "critical",
    "sys/class/thermal/thermal_zone0/trip_point_1_temp": "100000",
    "sys/class/thermal/thermal_zone1/type": "iwlwifi_1", "sys/class/thermal/thermal_zone1/temp": "99000",
    "sys/class/thermal/thermal_zone2/type": "cpu_broken", "sys/class/thermal/thermal_zone2/temp": "-274000",
    "sys/class/hwmon/hwmon3/name": "coretemp", "sys/class/hwmon/hwmon3/temp1_input": "69000",
    "sys/class/hwmon/hwmon3/temp1_label": "Package id 0", "sys/class/hwmon/hwmon3/temp1_crit": "105000",
    "sys/class/hwmon/hwmon4/name": "nvme", "sys/class/hwmon/hwmon4/temp1_input": "90000",
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq": "1200000",
    "sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq": "4800000",
    "sys/class/power_supply/AC/type": "Mains", "sys/class/power_supply/AC/online": "0",
    "sys/class/power_supply/BAT0/type": "Battery", "sys/class/power_supply/BAT0/capacity": "42",
    "sys/class/power_supply/BAT0/status": "Discharging", "sys/class/power_supply/BAT0/power_now": "11500000",
    "sys/class/power_supply/mouse/type": "Battery", "sys/class/power_supply/mouse/scope": "Device",
    "sys/class/power_supply/mouse/capacity": "3", "sys/firmware/acpi/platform_profile": "low-power",
  ]

  @Suite("Sensors on Linux") struct LinuxSensorsTests {
    @Test("A laptop's sensors are read, and what is not the processor's heat or the laptop's battery is left out")
    func reads() throws {
      let machine = try Machine(laptop)
      let reading = machine.sensors.read()
      #expect(
        reading.temperatures == [
          Temperature("x86_pkg_temp", celsius: 71, critical: 100),
          Temperature("Package id 0", celsius: 69, critical: 105),
        ])
      #expect(reading.memory?.available == 8_000_000 << 10)
      #expect(reading.memory?.someStalled == 1.5 && reading.memory?.allStalled == 0.25)
      #expect(reading.processorStalled == 42)
      #expect(reading.battery == 0.42 && reading.onMains == false && reading.dischargeWatts == 11.5)
      #expect(reading.lowPower == true && reading.frequencyShare == 0.25)
      #expect(reading.unknown.isEmpty)
    }

    @Test("A server without sensors reports each of them as unknown, with the place it looked") func server() throws {
      let machine = try Machine([:])
      let reading = machine.sensors.read()
      #expect(Set(reading.unknown.keys) == ["heat", "frequency", "memory", "pressure", "battery", "low_power"])
      #expect(reading.unknown.values.allSatisfy { !$0.isEmpty })
      #expect(reading.memory == nil && reading.battery == nil && reading.onMains == nil)
    }

    @Test("The tightest control group binds: its limit, its free memory, its events", arguments: [1, 2])
    func groups(_ version: Int) throws {
      let machine = try Machine(["proc/meminfo": meminfo])
      if version == 1 {
        try machine.write("proc/self/cgroup", "9:name=systemd:/\n4:memory:/apps/libera\n0::/")
        for (name, text) in [
          "limit_in_bytes": "2000000000", "usage_in_bytes": "1500000000", "failcnt": "7",
          "stat": "cache 5\ntotal_inactive_file 300000000",
        ] { try machine.write("sys/fs/cgroup/memory/apps/memory.\(name)", text) }
        try machine.write("sys/fs/cgroup/memory/apps/libera/memory.limit_in_bytes", "9223372036854771712")
        try machine.write("sys/fs/cgroup/memory/apps/libera/memory.usage_in_bytes", "5")
      } else {
        try machine.write("proc/self/cgroup", "0::/apps/libera")
        for (name, text) in [
          "max": "max", "high": "2000000000", "current": "1500000000", "events": "low 0\nhigh 5\nmax 2\noom_kill 0",
          "stat": "inactive_file 300000000", "pressure": "some avg10=20.00 avg60=0\nfull avg10=3.00 avg60=0",
        ] { try machine.write("sys/fs/cgroup/apps/memory.\(name)", text) }
      }
      let memory = try #require(machine.sensors.read().memory)
      #expect(memory.total == 2_000_000_000 && memory.available == 800_000_000)
      #expect(memory.boundBy == "control group apps" && memory.limitEvents == 7)
      if version == 2 { #expect(memory.someStalled == 20 && memory.allStalled == 3) }
    }

    @Test("Inside a container whose group path is not mounted, the mount itself counts") func container() throws {
      let machine = try Machine([
        "proc/meminfo": meminfo, "proc/self/cgroup": "0::/../../system.slice/x.scope",
        "sys/fs/cgroup/memory.max": "1000000000", "sys/fs/cgroup/memory.current": "400000000",
        "sys/fs/cgroup/cpu.max": "150000 100000",
      ])
      #expect(machine.sensors.read().memory?.available == 600_000_000)
      #expect(machine.sensors.device().cores == 1)
      #expect(machine.sensors.device().totalMemory == 1_000_000_000)
    }

    @Test("Energy is counted over the processor's packages, and not twice over their parts") func energy() throws {
      let machine = try Machine([
        "sys/class/powercap/intel-rapl:0/name": "package-0", "sys/class/powercap/intel-rapl:0/energy_uj": "5000000",
        "sys/class/powercap/intel-rapl:1/name": "package-1", "sys/class/powercap/intel-rapl:1/energy_uj": "2500000",
        "sys/class/powercap/intel-rapl:0:0/name": "core", "sys/class/powercap/intel-rapl:0:0/energy_uj": "4000000",
      ])
      #expect(machine.sensors.joules() == 7.5)
      #expect(try Machine([:]).sensors.joules() == nil)
    }

    @Test("Garbage in a sensor is the absence of the sensor") func garbage() throws {
      let machine = try Machine(laptop.mapValues { _ in "\u{0}garbage -99999999999999999999" })
      let reading = machine.sensors.read()
      #expect(reading.temperatures.isEmpty && reading.memory == nil && reading.battery == nil)
    }

    @Test("This machine can be read: memory, and a process's real footprint") func here() {
      let sensors = LinuxSensors()
      #expect((sensors.read().memory?.available ?? 0) > 0)
      let memory = sensors.memory(of: getpid())
      #expect((memory?.own ?? 0) > 1 << 20 && (memory?.resident ?? 0) >= memory?.own ?? 0)
      #expect(sensors.memory(of: -1) == nil)
    }

    @Test("The kernel's pressure alarm can be armed and let go, and its absence only means silence") func alarm() async
    {
      for path in ["/proc/pressure/memory", "/nowhere"] {
        let listening = Task { for await _ in PressureAlarm.stream(path) {} }
        await Task.yield()
        listening.cancel()
        await listening.value
      }
    }
  }
#endif
