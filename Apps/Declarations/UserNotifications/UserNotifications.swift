public import Foundation
package import Synchronization

/// What stands here for the system's notifications: what the person allows, and what is to come.
package final class NotificationRoom: Sendable {
  package struct Coming: Sendable, Equatable {
    package var title: String
    package var body: String
    package var at: DateComponents
    package var isLoud: Bool
  }
  package struct State: Sendable {
    package var status = UNAuthorizationStatus.notDetermined
    /// What the person answers when asked.
    package var answer = true
    package var coming: [String: Coming] = [:]
  }
  package static let shared = NotificationRoom()
  package let state = Mutex(State())
}

/// https://developer.apple.com/documentation/usernotifications/unauthorizationstatus
public enum UNAuthorizationStatus: Int, Sendable { case notDetermined, denied, authorized, provisional, ephemeral }

/// https://developer.apple.com/documentation/usernotifications/unauthorizationoptions
public struct UNAuthorizationOptions: OptionSet, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
  public static let sound = UNAuthorizationOptions(rawValue: 2)
  public static let alert = UNAuthorizationOptions(rawValue: 4)
}

/// https://developer.apple.com/documentation/usernotifications/unnotificationsettings
open class UNNotificationSettings: NSObject {
  public let authorizationStatus: UNAuthorizationStatus
  init(_ status: UNAuthorizationStatus) { authorizationStatus = status }
}

/// https://developer.apple.com/documentation/usernotifications/unnotificationsound
open class UNNotificationSound: NSObject, @unchecked Sendable {
  public static let `default` = UNNotificationSound()
}

/// https://developer.apple.com/documentation/usernotifications/unnotificationcontent
open class UNNotificationContent: NSObject {
  fileprivate(set) open var title = ""
  fileprivate(set) open var body = ""
  fileprivate(set) open var sound: UNNotificationSound?
}

/// https://developer.apple.com/documentation/usernotifications/unmutablenotificationcontent
open class UNMutableNotificationContent: UNNotificationContent {
  override open var title: String {
    get { super.title }
    set { super.title = newValue }
  }
  override open var body: String {
    get { super.body }
    set { super.body = newValue }
  }
  override open var sound: UNNotificationSound? {
    get { super.sound }
    set { super.sound = newValue }
  }
}

/// https://developer.apple.com/documentation/usernotifications/unnotificationtrigger
open class UNNotificationTrigger: NSObject {}

/// https://developer.apple.com/documentation/usernotifications/uncalendarnotificationtrigger
open class UNCalendarNotificationTrigger: UNNotificationTrigger {
  public let dateComponents: DateComponents
  public init(dateMatching dateComponents: DateComponents, repeats: Bool) { self.dateComponents = dateComponents }
}

/// https://developer.apple.com/documentation/usernotifications/unnotificationrequest
open class UNNotificationRequest: NSObject {
  public let identifier: String
  public let content: UNNotificationContent
  public let trigger: UNNotificationTrigger?
  public init(identifier: String, content: UNNotificationContent, trigger: UNNotificationTrigger?) {
    (self.identifier, self.content, self.trigger) = (identifier, content, trigger)
  }
}

/// https://developer.apple.com/documentation/usernotifications/unusernotificationcenter
open class UNUserNotificationCenter: NSObject, @unchecked Sendable {
  private static let center = UNUserNotificationCenter()
  private var room: NotificationRoom { NotificationRoom.shared }
  open class func current() -> UNUserNotificationCenter { center }

  open func notificationSettings() async -> UNNotificationSettings {
    UNNotificationSettings(room.state.withLock(\.status))
  }

  open func requestAuthorization(options: UNAuthorizationOptions = []) async throws -> Bool {
    room.state.withLock { state in
      if state.status == .notDetermined { state.status = state.answer ? .authorized : .denied }
      return state.status == .authorized
    }
  }

  open func add(_ request: UNNotificationRequest) async throws {
    guard let trigger = request.trigger as? UNCalendarNotificationTrigger else { return }
    let coming = NotificationRoom.Coming(
      title: request.content.title, body: request.content.body, at: trigger.dateComponents,
      isLoud: request.content.sound != nil)
    let name = request.identifier
    room.state.withLock { $0.coming[name] = coming }
  }

  open func pendingNotificationRequests() async -> [UNNotificationRequest] {
    room.state.withLock(\.coming).map { name, coming in
      UNNotificationRequest(
        identifier: name, content: UNNotificationContent(),
        trigger: UNCalendarNotificationTrigger(dateMatching: coming.at, repeats: false))
    }
  }

  open func removePendingNotificationRequests(withIdentifiers identifiers: [String]) {
    room.state.withLock { state in for name in identifiers { state.coming[name] = nil } }
  }
}
