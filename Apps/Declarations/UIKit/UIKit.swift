public import Foundation
public import SwiftUI

/// https://developer.apple.com/documentation/uikit/uiimage
public final class UIImage: Sendable {
  let data: Data

  /// nil for what is no picture: here, what has not the first bytes of a PNG or JPEG.
  public init?(data: Data) {
    guard data.starts(with: [0x89, 0x50, 0x4E, 0x47]) || data.starts(with: [0xFF, 0xD8, 0xFF]) else { return nil }
    self.data = data
  }
}

/// https://developer.apple.com/documentation/uikit/uiapplication
@MainActor open class UIApplication: NSObject {
  public nonisolated static let didReceiveMemoryWarningNotification = NSNotification.Name(
    "UIApplicationDidReceiveMemoryWarningNotification")
}

extension Image {
  /// https://developer.apple.com/documentation/swiftui/image/init(uiimage:)
  public init(uiImage: UIImage) { self.init(pictureOf: uiImage.data.count) }
}
