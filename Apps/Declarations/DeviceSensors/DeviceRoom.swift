package import Dispatch
package import Foundation
package import Synchronization

/// What stands here for a device: its heat, its memory, and the pressure that is said of it.
package final class DeviceRoom: Sendable {
  package struct State: Sendable {
    package var heat = ProcessInfo.ThermalState.nominal
    package var isLowPower = false
    /// 0: no limit.
    package var memory = 0
    fileprivate var sources: [ObjectIdentifier: MemoryPressureSource] = [:]
  }
  package static let shared = DeviceRoom()
  package let state = Mutex(State())

  package var listeners: Int { state.withLock { $0.sources.count } }

  /// The system says how it stands with memory.
  package func press(_ event: DispatchSource.MemoryPressureEvent) {
    for source in state.withLock({ Array($0.sources.values) }) { source.hear(event) }
  }
}

extension ProcessInfo {
  /// https://developer.apple.com/documentation/foundation/processinfo/thermalstate-swift.enum
  package enum ThermalState: Int, Sendable {
    case nominal, fair, serious, critical
  }
  /// https://developer.apple.com/documentation/foundation/processinfo/thermalstate-swift.property
  package var thermalState: ThermalState { DeviceRoom.shared.state.withLock(\.heat) }
  /// https://developer.apple.com/documentation/foundation/processinfo/islowpowermodeenabled
  package var isLowPowerModeEnabled: Bool { DeviceRoom.shared.state.withLock(\.isLowPower) }
  /// https://developer.apple.com/documentation/foundation/processinfo/thermalstatedidchangenotification
  package static let thermalStateDidChangeNotification = NSNotification.Name(
    "NSProcessInfoThermalStateDidChangeNotification")
}

extension NSNotification.Name {
  /// https://developer.apple.com/documentation/foundation/nsnotification/name-swift.struct/nsprocessinfopowerstatedidchange
  // swift-format-ignore: AlwaysUseLowerCamelCase
  package static let NSProcessInfoPowerStateDidChange = NSNotification.Name(
    "NSProcessInfoPowerStateDidChangeNotification")
}

/// Bytes until the limit of the process; 0 where it has none. https://developer.apple.com/documentation/os/os_proc_available_memory
// swift-format-ignore: AlwaysUseLowerCamelCase
package func os_proc_available_memory() -> Int { DeviceRoom.shared.state.withLock(\.memory) }

/// https://developer.apple.com/documentation/dispatch/dispatchsourcememorypressure
package protocol DispatchSourceMemoryPressure: AnyObject, Sendable {
  var data: DispatchSource.MemoryPressureEvent { get }
  func setEventHandler(handler: (@Sendable () -> Void)?)
  func activate()
  func cancel()
}

extension DispatchSource {
  /// https://developer.apple.com/documentation/dispatch/dispatchsource/memorypressureevent
  package struct MemoryPressureEvent: OptionSet, Sendable {
    package let rawValue: UInt
    package init(rawValue: UInt) { self.rawValue = rawValue }
    package static let normal = MemoryPressureEvent(rawValue: 1)
    package static let warning = MemoryPressureEvent(rawValue: 2)
    package static let critical = MemoryPressureEvent(rawValue: 4)
  }

  /// https://developer.apple.com/documentation/dispatch/dispatchsource/makememorypressuresource(eventmask:queue:)
  package class func makeMemoryPressureSource(
    eventMask: MemoryPressureEvent, queue: DispatchQueue? = nil
  ) -> any DispatchSourceMemoryPressure {
    MemoryPressureSource(eventMask, queue ?? .global())
  }
}

private final class MemoryPressureSource: DispatchSourceMemoryPressure {
  private let mask: DispatchSource.MemoryPressureEvent
  private let queue: DispatchQueue
  private let state = Mutex<(data: DispatchSource.MemoryPressureEvent, handler: (@Sendable () -> Void)?)>(([], nil))

  init(_ mask: DispatchSource.MemoryPressureEvent, _ queue: DispatchQueue) { (self.mask, self.queue) = (mask, queue) }

  var data: DispatchSource.MemoryPressureEvent { state.withLock { $0.data } }

  func setEventHandler(handler: (@Sendable () -> Void)?) { state.withLock { $0.handler = handler } }

  func activate() { DeviceRoom.shared.state.withLock { $0.sources[ObjectIdentifier(self)] = self } }

  func cancel() {
    DeviceRoom.shared.state.withLock { $0.sources[ObjectIdentifier(self)] = nil }
    setEventHandler(handler: nil)
  }

  func hear(_ event: DispatchSource.MemoryPressureEvent) {
    guard mask.contains(event) else { return }
    let handler = state.withLock { state in
      state.data = event
      return state.handler
    }
    queue.async { handler?() }
  }
}
