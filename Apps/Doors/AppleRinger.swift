import Foundation
public import LiberaKit
public import LiberaScreens
import UserNotifications

/// Reminders as notifications of the system, which ring while the app is not on the screen.
public struct AppleRinger: ReminderRinger {
  /// What we asked for begins so: other notifications of the app are left alone.
  private static let prefix = "reminder."

  public init() {}

  public func leave() async -> Leave {
    switch await UNUserNotificationCenter.current().notificationSettings().authorizationStatus {
    case .notDetermined: .notAsked
    case .authorized, .provisional, .ephemeral: .given
    case .denied: .refused
    @unknown default: .refused
    }
  }

  public func ask() async throws -> Leave {
    try await UNUserNotificationCenter.current().requestAuthorization(options: [.alert, .sound]) ? .given : .refused
  }

  public func ring(_ reminders: [DueReminder]) async throws {
    let center = UNUserNotificationCenter.current()
    let names = await center.pendingNotificationRequests().map(\.identifier).filter { $0.hasPrefix(Self.prefix) }
    center.removePendingNotificationRequests(withIdentifiers: names)
    for reminder in reminders where reminder.rings > Date() {
      let content = UNMutableNotificationContent()
      content.title = reminder.title
      content.sound = .default
      let at = Calendar.current.dateComponents([.year, .month, .day, .hour, .minute, .second], from: reminder.rings)
      let trigger = UNCalendarNotificationTrigger(dateMatching: at, repeats: false)
      try await center.add(
        UNNotificationRequest(identifier: Self.prefix + reminder.id, content: content, trigger: trigger))
    }
  }
}
