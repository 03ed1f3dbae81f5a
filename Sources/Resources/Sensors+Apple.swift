// Where LIBERA_DECLARED is set it is compiled on Linux, for tests, against our declarations (Apps/Declarations/DeviceSensors).
#if canImport(Darwin) || LIBERA_DECLARED
  #if canImport(Darwin)
    import Darwin
  #else
    package import Resources
  #endif
  import Dispatch
  import Foundation
  import Synchronization
  #if canImport(UIKit)
    import UIKit
  #endif
  #if canImport(IOKit)
    import IOKit.ps
  #endif

  /// The platform's own calls. Written from Apple's documentation; not yet compiled on an Apple system.
  package struct AppleSensors: Sensors {
    /// What the system said of memory last, which it only tells when that changes.
    private let pressure = Pressure()

    package init() {}

    package func read() -> Reading {
      var reading = Reading()
      let process = ProcessInfo.processInfo
      reading.heat =
        switch process.thermalState {
        case .nominal: .nominal
        case .fair: .fair
        case .serious: .serious
        case .critical: .critical
        @unknown default: nil
        }
      reading.lowPower = process.isLowPowerModeEnabled
      reading.memoryLevel = pressure.level.withLock { $0 }
      if let available = availableMemory() {
        reading.memory = MemoryReading(available: available, total: process.physicalMemory)
      } else {
        reading.unknown["memory"] = "the system does not say how much memory is left"
      }
      readPower(into: &reading)
      if reading.battery == nil { reading.unknown["battery"] = "the system does not report a battery" }
      return reading
    }

    /// Memory pressure as the system sees it, and every change of heat or power mode.
    package func alarms() -> AsyncStream<Void> {
      AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
        let source = DispatchSource.makeMemoryPressureSource(
          eventMask: [.warning, .critical, .normal], queue: .global())
        source.setEventHandler { [pressure] in
          let event = source.data
          pressure.level.withLock {
            $0 = event.contains(.critical) ? .critical : event.contains(.warning) ? .warning : .normal
          }
          continuation.yield()
        }
        source.activate()
        let listeners = Listeners(to: [
          ProcessInfo.thermalStateDidChangeNotification, .NSProcessInfoPowerStateDidChange,
        ]) {
          continuation.yield()
        }
        continuation.onTermination = { _ in
          // Its handler holds the source, until it is cancelled.
          source.cancel()
          listeners.end()
        }
      }
    }

    /// Engines run in this process here, so there is no worker to measure.
    package func memory(of process: Int32) -> ProcessMemory? { nil }

    package func device() -> Device {
      Device(totalMemory: ProcessInfo.processInfo.physicalMemory, cores: ProcessInfo.processInfo.activeProcessorCount)
    }

    private func availableMemory() -> UInt64? {
      #if os(iOS) || LIBERA_DECLARED
        // 0: this process has no limit, as in a simulator.
        let left = UInt64(os_proc_available_memory())
        return left > 0 ? left : nil
      #else
        var statistics = vm_statistics64()
        var count = mach_msg_type_number_t(MemoryLayout<vm_statistics64>.size / MemoryLayout<integer_t>.size)
        let result = withUnsafeMutablePointer(to: &statistics) { pointer in
          pointer.withMemoryRebound(to: integer_t.self, capacity: Int(count)) {
            host_statistics64(mach_host_self(), HOST_VM_INFO64, $0, &count)
          }
        }
        guard result == KERN_SUCCESS else { return nil }
        let pages =
          UInt64(statistics.free_count) + UInt64(statistics.inactive_count) + UInt64(statistics.purgeable_count)
        return pages * UInt64(getpagesize())
      #endif
    }

    private func readPower(into reading: inout Reading) {
      #if os(iOS) || LIBERA_DECLARED
        // UIDevice belongs to the main actor, and the governor reads from its own.
        let (state, level) = DispatchQueue.main.sync {
          MainActor.assumeIsolated {
            UIDevice.current.isBatteryMonitoringEnabled = true
            return (UIDevice.current.batteryState, UIDevice.current.batteryLevel)
          }
        }
        if level >= 0 { reading.battery = Double(level) }
        if state != .unknown { reading.onMains = state != .unplugged }
      #elseif canImport(IOKit)
        guard let snapshot = IOPSCopyPowerSourcesInfo()?.takeRetainedValue(),
          let sources = IOPSCopyPowerSourcesList(snapshot)?.takeRetainedValue() as? [CFTypeRef]
        else { return }
        for source in sources {
          guard let facts = IOPSGetPowerSourceDescription(snapshot, source)?.takeUnretainedValue() as? [String: Any],
            facts[kIOPSTypeKey] as? String == kIOPSInternalBatteryType
          else { continue }
          if let now = facts[kIOPSCurrentCapacityKey] as? Int, let full = facts[kIOPSMaxCapacityKey] as? Int, full > 0 {
            reading.battery = Double(now) / Double(full)
          }
          reading.onMains = facts[kIOPSPowerSourceStateKey] as? String == kIOPSACPowerValue
        }
      #endif
    }
  }

  private final class Pressure: Sendable {
    let level = Mutex<Memory?>(nil)
  }

  /// Hears some kinds of notification until it is ended.
  private final class Listeners: Sendable {
    private let tokens = Mutex<[any NSObjectProtocol]>([])

    init(to names: [NSNotification.Name], _ heard: @escaping @Sendable () -> Void) {
      for name in names {
        tokens.withLock { tokens in
          tokens.append(
            NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in heard() })
        }
      }
    }

    func end() {
      tokens.withLock { tokens in
        for token in tokens { NotificationCenter.default.removeObserver(token) }
        tokens = []
      }
    }
  }
#endif
