package import Synchronization

/// What stands here for the system's log of signposts.
package final class SignpostRoom: Sendable {
  package struct Interval: Sendable, Equatable {
    package var category: String
    package var name: String
    package var id: UInt64
    /// nil while it lasts.
    package var message: String?
    /// What of the message nobody can read who does not debug the app.
    package var hides = false
  }
  package struct State: Sendable {
    package var intervals: [Interval] = []
    /// What would end a debug build on a device: an interval that is ended twice, or under another name.
    package var faults: [String] = []
    var nextID: UInt64 = 1
  }
  package static let shared = SignpostRoom()
  package let state = Mutex(State())
}

/// https://developer.apple.com/documentation/os/ossignpostid
public struct OSSignpostID: Sendable, Equatable {
  public let rawValue: UInt64
  public init(_ value: UInt64) { rawValue = value }
  public static let exclusive = OSSignpostID(0xEEEE_B0B5_B2B2_EEEE)
}

/// https://developer.apple.com/documentation/os/ossignpostintervalstate
public final class OSSignpostIntervalState: Sendable {
  let place: Int
  init(_ place: Int) { self.place = place }
}

/// https://developer.apple.com/documentation/os/oslogprivacy
public struct OSLogPrivacy: Sendable, Equatable {
  let hides: Bool
  public static var `public`: OSLogPrivacy { OSLogPrivacy(hides: false) }
  public static var `private`: OSLogPrivacy { OSLogPrivacy(hides: true) }
  /// What is interpolated is hidden where it is a text.
  public static var auto: OSLogPrivacy { OSLogPrivacy(hides: true) }
}

/// Made of an interpolated text alone. https://developer.apple.com/documentation/os/oslogmessage
public struct OSLogMessage: ExpressibleByStringInterpolation {
  /// https://developer.apple.com/documentation/os/osloginterpolation
  public struct StringInterpolation: StringInterpolationProtocol {
    var text = ""
    var hides = false
    public init(literalCapacity: Int, interpolationCount: Int) {}
    public mutating func appendLiteral(_ literal: String) { text += literal }
    /// https://developer.apple.com/documentation/os/osloginterpolation/appendinterpolation(_:align:privacy:)-6tazr
    public mutating func appendInterpolation(
      _ argumentString: @autoclosure @escaping () -> String, privacy: OSLogPrivacy = .auto
    ) {
      text += argumentString()
      hides = hides || privacy.hides
    }
  }
  let text: String
  let hides: Bool
  public init(stringLiteral value: String) { (text, hides) = (value, false) }
  public init(stringInterpolation: StringInterpolation) {
    (text, hides) = (stringInterpolation.text, stringInterpolation.hides)
  }
}

/// https://developer.apple.com/documentation/os/signpostmetadata
public typealias SignpostMetadata = OSLogMessage

/// https://developer.apple.com/documentation/os/ossignposter
public struct OSSignposter: Sendable {
  private let category: String
  private var room: SignpostRoom { SignpostRoom.shared }
  public init(subsystem: String, category: String) { self.category = category }

  public func makeSignpostID() -> OSSignpostID {
    room.state.withLock { state in
      state.nextID += 1
      return OSSignpostID(state.nextID)
    }
  }

  /// https://developer.apple.com/documentation/os/ossignposter/begininterval(_:id:)
  public func beginInterval(_ name: StaticString, id: OSSignpostID = .exclusive) -> OSSignpostIntervalState {
    room.state.withLock { state in
      state.intervals.append(.init(category: category, name: "\(name)", id: id.rawValue))
      return OSSignpostIntervalState(state.intervals.count - 1)
    }
  }

  /// https://developer.apple.com/documentation/os/ossignposter/endinterval(_:_:_:)
  public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState, _ message: SignpostMetadata) {
    room.state.withLock { kept in
      let interval = kept.intervals[state.place]
      if interval.name != "\(name)" || interval.message != nil {
        kept.faults.append("\(interval.name) is ended as \(name), \(interval.message == nil ? "once" : "twice")")
      }
      kept.intervals[state.place].message = message.text
      kept.intervals[state.place].hides = message.hides
    }
  }
}
