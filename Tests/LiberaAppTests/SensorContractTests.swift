#if os(Linux)
  import Foundation
  import Synchronization
  import TestSupport
  import Testing

  @testable import DeviceSensors
  @testable import Resources
  @testable import UIKit

  /// How a device stands, in words that both sides can be brought into.
  struct Standing: Sendable, CustomTestStringConvertible {
    var name: String
    var heat = Heat.nominal
    /// Of the device's memory, what is left; nil: nobody says.
    var memoryLeft: Double? = 0.5
    var charge: Double?
    var onMains: Bool?
    var lowPower = false
    var testDescription: String { name }
  }

  /// One table of cases for both sides of the door to a device's sensors: Linux's own files, in a folder that looks like a machine, and
  /// Apple's adapter on our declarations.
  enum SensorSide: String, CaseIterable, Sendable {
    case linux, apple

    func sensors(_ standing: Standing, in folder: URL) throws -> any Sensors {
      switch self {
      case .linux:
        for (path, text) in Self.files(standing) {
          let file = folder.appending(path: path)
          try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
          try Data("\(text)\n".utf8).write(to: file)
        }
        return LinuxSensors(root: folder)
      case .apple:
        Self.set(standing)
        return AppleSensors()
      }
    }

    static var total: UInt64 { (ProcessInfo.processInfo.physicalMemory >> 10) << 10 }

    private static func files(_ standing: Standing) -> [String: String] {
      let celsius = [Heat.nominal: 50, .fair: 82, .serious: 92, .critical: 99][standing.heat] ?? 0
      var files = [
        "sys/class/thermal/thermal_zone0/type": "x86_pkg_temp",
        "sys/class/thermal/thermal_zone0/temp": "\(celsius)000",
        "sys/class/thermal/thermal_zone0/trip_point_0_type": "passive",
        "sys/class/thermal/thermal_zone0/trip_point_0_temp": "90000",
        "sys/class/thermal/thermal_zone0/trip_point_1_type": "hot",
        "sys/class/thermal/thermal_zone0/trip_point_1_temp": "98000",
        "sys/firmware/acpi/platform_profile": standing.lowPower ? "low-power" : "balanced",
      ]
      if let left = standing.memoryLeft {
        files["proc/meminfo"] = "MemTotal: \(total >> 10) kB\nMemAvailable: \(UInt64(Double(total) * left) >> 10) kB"
      }
      if let charge = standing.charge {
        files["sys/class/power_supply/BAT0/type"] = "Battery"
        files["sys/class/power_supply/BAT0/capacity"] = "\(Int((charge * 100).rounded()))"
        files["sys/class/power_supply/BAT0/status"] = standing.onMains == true ? "Charging" : "Discharging"
      }
      return files
    }

    private static func set(_ standing: Standing) {
      DeviceRoom.shared.state.withLock { state in
        state.heat =
          switch standing.heat {
          case .nominal: .nominal
          case .fair: .fair
          case .serious: .serious
          case .critical: .critical
          }
        state.isLowPower = standing.lowPower
        state.memory = standing.memoryLeft.map { Int(Double(total) * $0) } ?? 0
      }
      BatteryRoom.shared.state.withLock { state in
        state.level = standing.charge.map { Float($0) } ?? -1
        state.state = standing.charge == nil ? .unknown : standing.onMains == true ? .charging : .unplugged
      }
    }
  }

  @Suite("Both sides of the door to a device's sensors", .serialized)
  struct SensorContractTests {
    static let cases: [(Standing, heat: Heat, memory: Memory, battery: Battery)] = [
      (Standing(name: "at ease", charge: 0.8, onMains: false), .nominal, .normal, .normal),
      (Standing(name: "warm", heat: .fair, charge: 0.8, onMains: false), .fair, .normal, .normal),
      (Standing(name: "hot", heat: .serious, charge: 0.8, onMains: false), .serious, .normal, .normal),
      (Standing(name: "too hot", heat: .critical, charge: 0.8, onMains: false), .critical, .normal, .normal),
      (Standing(name: "little memory", memoryLeft: 0.01, charge: 0.8, onMains: false), .nominal, .critical, .normal),
      (Standing(name: "low", charge: 0.15, onMains: false), .nominal, .normal, .low),
      (Standing(name: "nearly empty", charge: 0.05, onMains: false), .nominal, .normal, .critical),
      (Standing(name: "nearly empty at the charger", charge: 0.05, onMains: true), .nominal, .normal, .normal),
      (Standing(name: "saving", charge: 0.6, onMains: false, lowPower: true), .nominal, .normal, .normal),
      (Standing(name: "without a battery"), .nominal, .normal, .normal),
      (
        Standing(name: "without a word on memory", memoryLeft: nil, charge: 1, onMains: true), .nominal, .normal,
        .normal
      ),
    ]

    private func during<Result>(_ work: (URL) throws -> Result) throws -> Result {
      let scratch = try Scratch("sensors")
      return try work(scratch.folder)
    }

    @Test("How a device stands is read the same, and means the same", arguments: SensorSide.allCases, cases.indices)
    func read(side: SensorSide, place: Int) throws {
      let (standing, heat, memory, battery) = Self.cases[place]
      let reading = try during { try side.sensors(standing, in: $0).read() }
      #expect(ReadingMeaning.heat(reading, current: .nominal).level == heat)
      let memoryTier = ReadingMeaning.memory(reading, current: .normal, newEvents: 0)
      #expect(memoryTier.level == memory && memoryTier.known == (standing.memoryLeft != nil))
      let batteryTier = ReadingMeaning.battery(reading, current: .normal)
      #expect(batteryTier.level == battery && batteryTier.known == (standing.charge != nil))
      #expect(reading.lowPower == standing.lowPower && reading.onMains == standing.onMains)
      if let charge = standing.charge { #expect(abs((reading.battery ?? -1) - charge) < 0.001) }
      if let left = standing.memoryLeft {
        let found = try #require(reading.memory)
        #expect(found.total >> 10 == SensorSide.total >> 10)
        #expect(abs(Double(found.available) / Double(found.total) - left) < 0.001)
      }
      // What nobody says is said to be unknown, with the reason.
      #expect((reading.unknown["memory"] != nil) == (standing.memoryLeft == nil))
      #expect((reading.unknown["battery"] != nil) == (standing.charge == nil))
      #expect(reading.unknown.values.allSatisfy { $0.count > 10 })
    }

    @Test("A device that says that memory is short is read at once, and believed until it says otherwise")
    func pressure() async throws {
      let sensors = AppleSensors()
      #expect(sensors.read().memoryLevel == nil)
      var alarms: AsyncStream<Void>.Iterator? = sensors.alarms().makeAsyncIterator()
      for (event, level) in [
        (DispatchSource.MemoryPressureEvent.warning, Memory.warning), (.critical, .critical), (.normal, .normal),
      ] {
        DeviceRoom.shared.press(event)
        #expect(await alarms?.next() != nil)
        #expect(sensors.read().memoryLevel == level)
      }
      for name in [ProcessInfo.thermalStateDidChangeNotification, .NSProcessInfoPowerStateDidChange] {
        NotificationCenter.default.post(name: name, object: nil)
        #expect(await alarms?.next() != nil)
      }
      alarms = nil
      #expect(DeviceRoom.shared.listeners == 0, "nobody listens, and nothing is watched any more")
    }
  }
#endif
