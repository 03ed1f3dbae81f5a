#if canImport(Darwin)
  import Darwin
  import Dispatch
  import Foundation
  #if canImport(UIKit)
    import UIKit
  #endif
  #if canImport(IOKit)
    import IOKit.ps
  #endif

  /// The platform's own calls. Written from Apple's documentation; not yet compiled on an Apple system.
  package struct AppleSensors: Sensors {
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
        source.setEventHandler { continuation.yield() }
        source.activate()
        let names = [ProcessInfo.thermalStateDidChangeNotification, .NSProcessInfoPowerStateDidChange]
        let listeners = names.map { name in
          Task { for await _ in NotificationCenter.default.notifications(named: name) { continuation.yield() } }
        }
        continuation.onTermination = { _ in
          source.cancel()
          listeners.forEach { $0.cancel() }
        }
      }
    }

    /// Engines run in this process here, so there is no worker to measure.
    package func memory(of process: Int32) -> ProcessMemory? { nil }

    package func device() -> Device {
      Device(totalMemory: ProcessInfo.processInfo.physicalMemory, cores: ProcessInfo.processInfo.activeProcessorCount)
    }

    private func availableMemory() -> UInt64? {
      #if os(iOS)
        return UInt64(os_proc_available_memory())
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
      #if os(iOS)
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
#endif
