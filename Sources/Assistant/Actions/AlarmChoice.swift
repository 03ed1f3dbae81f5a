import Commands
import Core
import Foundation

/// Which of the alarms and timers that stand a person means.
struct AlarmChoice: Equatable {
  var rings: [Ring]
  /// None, or more than one where one is meant.
  var isUnclear: Bool

  init(_ frame: Frame, among standing: [Ring], zone: TimeZone = .current) {
    let slots = frame.slots
    let ringing = standing.filter { $0.state == .due && $0.missed != true }
    var meant = standing.filter { slots.alarm == nil || $0.alarm == slots.alarm }
    guard frame.intent == .stopAlarm else {
      (rings, isUnclear) = (meant, false)
      return
    }
    // Whatever rings now is meant, also where it is called by the other name.
    if slots.title == nil, slots.datetimePoint == nil, !slots.all, !ringing.isEmpty {
      let same = ringing.filter { $0.alarm == slots.alarm }
      (rings, isUnclear) = (same.isEmpty ? ringing : same, false)
      return
    }
    if let title = slots.title?.lowercased() { meant = meant.filter { $0.title.lowercased().holds(title) } }
    if let clock = slots.datetimePoint?.suffix(8).prefix(5) {
      var calendar = Calendar(identifier: .gregorian)
      calendar.timeZone = zone
      let wanted = clock.split(separator: ":").compactMap { Int($0) }
      meant = meant.filter { ring in
        let parts = calendar.dateComponents([.hour, .minute], from: ring.again ?? ring.due)
        // "The seven o'clock alarm" leaves open which half of the day.
        return parts.minute == wanted.last && (parts.hour ?? 0) % 12 == (wanted.first ?? 0) % 12
      }
    }
    (rings, isUnclear) = (meant, slots.all ? meant.isEmpty : meant.count != 1)
  }
}
