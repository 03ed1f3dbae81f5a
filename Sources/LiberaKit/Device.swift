public import Assistant
public import Core
import Resources

/// A level of heat, memory or battery, and why it is taken to be so.
public struct DeviceLevel: Sendable, Codable, Equatable {
  /// "nominal", "fair", "serious", "critical" for heat; "normal", "warning", "critical" for memory; "normal", "low", "critical" for
  /// the battery.
  public var level: String
  /// False where nothing could be read: the level is then the easiest one.
  public var isKnown: Bool
  public var reason: String

  init<Scale>(_ tier: Tier<Scale>) {
    (level, isKnown, reason) = (tier.level.rawValue, tier.known, tier.reason)
  }
}

/// A pack in memory.
public struct LoadedPack: Sendable, Codable, Equatable, Identifiable {
  public var id: String
  public var bytes: UInt64
  public var isInUse: Bool
}

/// The device as the governor sees it.
public struct DeviceState: Sendable, Codable, Equatable {
  public var heat: DeviceLevel
  public var memory: DeviceLevel
  public var battery: DeviceLevel
  public var lowPower: Bool
  public var isInBackground: Bool
  public var loaded: [LoadedPack]
  /// Everything that the device decides at the moment, and why.
  public var limitsInForce: [LimitNote]
  /// Long work without a pause: a break would let the device cool.
  public var breakIsSuggested: Bool
  /// What happened, in words; nil for plain readings.
  public var change: String?

  init(_ event: WatchGovernor.Event) {
    let tiers = event.state.tiers
    heat = DeviceLevel(tiers.heat)
    memory = DeviceLevel(tiers.memory)
    battery = DeviceLevel(tiers.battery)
    (lowPower, isInBackground) = (tiers.lowPower, tiers.background)
    loaded = event.state.residents.map { LoadedPack(id: $0.id, bytes: $0.bytes, isInUse: $0.users > 0) }
    limitsInForce = event.limits.filter(\.inForce).map(LimitNote.init)
    breakIsSuggested = event.state.breakSuggested
    change = event.change
  }
}

/// Watches heat, memory and battery, and decides what may be computed.
public struct DeviceGovernor: Sendable {
  let libera: Libera

  /// The device now, then whenever it changes and every second.
  /// - Parameter mode: The mode whose limits are told; nil: as set.
  public func states(_ mode: Mode? = nil) -> AsyncThrowingStream<DeviceState, any Error> {
    libera.events(WatchGovernor.self, WatchGovernor.Input(mode: mode)) { DeviceState($0) }
  }

  /// The device now.
  public func state(_ mode: Mode? = nil) async throws -> DeviceState {
    for try await state in states(mode) { return state }
    throw CancellationError()
  }
}

extension Libera {
  public var governor: DeviceGovernor { DeviceGovernor(libera: self) }

  /// Gives the memory of every model back; who needs one next loads it again. An answer that is being written ends.
  public func unload() async { await house.giveBack() }

  /// The system wants memory: as `unload`.
  public func memoryWarning() async { await unload() }

  /// Nobody looks any more, or somebody does again. Models that do nothing leave memory after the seconds that are set
  /// (`Settings.backgroundUnloadSeconds`); work under way is finished first.
  public func background(_ isHidden: Bool) async { await house.governor.background(isHidden) }
}
