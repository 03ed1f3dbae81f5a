package import Synchronization

/// What stands here for assistive technology: everything that it was asked to say.
package final class AnnouncementRoom: Sendable {
  package static let shared = AnnouncementRoom()
  package let said = Mutex([String]())
}

/// https://developer.apple.com/documentation/accessibility/accessibilitynotification
public enum AccessibilityNotification {
  /// https://developer.apple.com/documentation/accessibility/accessibilitynotification/announcement
  public struct Announcement: Sendable {
    let announcement: String
    public init(_ announcement: String) { self.announcement = announcement }
    public func post() { AnnouncementRoom.shared.said.withLock { $0.append(announcement) } }
  }
}
