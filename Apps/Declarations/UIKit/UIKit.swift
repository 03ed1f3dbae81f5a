public import Foundation
public import SwiftUI
package import Synchronization

/// https://developer.apple.com/documentation/uikit/uiimage
public final class UIImage: Sendable {
  let data: Data

  /// nil for what is no picture: here, what has not the first bytes of a PNG or JPEG.
  public init?(data: Data) {
    guard data.starts(with: [0x89, 0x50, 0x4E, 0x47]) || data.starts(with: [0xFF, 0xD8, 0xFF]) else { return nil }
    self.data = data
  }

  /// In points. Here that of a PNG, as its header has it. https://developer.apple.com/documentation/uikit/uiimage/size
  public var size: CGSize {
    func number(at place: Int) -> Int { data.dropFirst(place).prefix(4).reduce(0) { $0 << 8 | Int($1) } }
    return data.first == 0x89 ? CGSize(width: number(at: 16), height: number(at: 20)) : CGSize(width: 1, height: 1)
  }
}

/// https://developer.apple.com/documentation/uikit/uiapplication
@MainActor open class UIApplication: NSObject {
  public nonisolated static let didReceiveMemoryWarningNotification = NSNotification.Name(
    "UIApplicationDidReceiveMemoryWarningNotification")
}

/// What stands here for the battery of a device.
package final class BatteryRoom: Sendable {
  package struct State: Sendable {
    /// -1: not known, as without a battery.
    package var level: Float = -1
    package var state = UIDevice.BatteryState.unknown
    package var isWatched = false
  }
  package static let shared = BatteryRoom()
  package let state = Mutex(State())
}

/// https://developer.apple.com/documentation/uikit/uidevice
@MainActor open class UIDevice: NSObject {
  /// https://developer.apple.com/documentation/uikit/uidevice/batterystate-swift.enum
  public enum BatteryState: Int, Sendable {
    case unknown, unplugged, charging, full
  }
  open class var current: UIDevice { device }
  private static let device = UIDevice()

  /// https://developer.apple.com/documentation/uikit/uidevice/isbatterymonitoringenabled
  open var isBatteryMonitoringEnabled: Bool {
    get { BatteryRoom.shared.state.withLock(\.isWatched) }
    set { BatteryRoom.shared.state.withLock { $0.isWatched = newValue } }
  }
  /// -1 where it is not watched. https://developer.apple.com/documentation/uikit/uidevice/batterylevel
  open var batteryLevel: Float { BatteryRoom.shared.state.withLock { $0.isWatched ? $0.level : -1 } }
  /// https://developer.apple.com/documentation/uikit/uidevice/batterystate-swift.property
  open var batteryState: BatteryState { BatteryRoom.shared.state.withLock { $0.isWatched ? $0.state : .unknown } }
}

extension Image {
  /// https://developer.apple.com/documentation/swiftui/image/init(uiimage:)
  public init(uiImage: UIImage) { self.init(pictureOf: uiImage.data.count) }
}
