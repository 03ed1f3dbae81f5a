package import Core
import Foundation
package import Resources

/// The device as the governor sees it, now and whenever it changes.
package enum WatchGovernor: Operation {
  package struct Input: Codable, Sendable {
    package var mode: Mode?
    package init(mode: Mode? = nil) { self.mode = mode }
  }

  package struct Event: Codable, Sendable {
    package var state: Governor.State
    package var limits: [LimitEntry]
    /// What happened, in words; nil for the first event and for plain readings.
    package var change: String?
  }

  package static let name = "governor"
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<Event>) async throws {
    let governor = house.governor
    let usual = house.settings.mode
    let mode = input.mode ?? usual
    emit(Event(state: await governor.state, limits: await governor.limits(mode).all, change: nil))
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for await change in await governor.changes() {
          emit(
            Event(state: await governor.state, limits: await governor.limits(mode).all, change: change.words))
        }
      }
      group.addTask {
        while !Task.isCancelled {
          guard await waited(.seconds(1)) else { return }
          await governor.observe()
          emit(Event(state: await governor.state, limits: await governor.limits(mode).all, change: nil))
        }
      }
    }
  }
}

extension Governor.Change {
  package var words: String {
    switch self {
    case .tiers(let tiers):
      "heat \(tiers.heat.level.rawValue), memory \(tiers.memory.level.rawValue), battery \(tiers.battery.level.rawValue)"
    case .unloaded(let pack, let why): "\(pack) left memory: \(why.reason)"
    case .breakSuggested: "a quarter of an hour of work without a pause: a break would let the device cool"
    }
  }
}
