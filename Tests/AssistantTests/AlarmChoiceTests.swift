import Foundation
import Testing

@testable import Assistant
@testable import Commands

@Suite("Which alarm is meant")
struct AlarmChoiceTests {
  private static let zone = TimeZone(identifier: "Europe/Berlin") ?? .gmt

  /// "timer eggs 09:40 due": what it is, its name, its time on 10 June 2026 in Berlin, whether it rings.
  private static func ring(_ line: String) -> Ring {
    let words = line.split(separator: " ").map(String.init)
    let clock = words[2].split(separator: ":").compactMap { Double($0) }
    let midnight = Date(timeIntervalSince1970: 1_781_042_400)
    return Ring(
      id: line, action: line, title: words[1], due: midnight.addingTimeInterval(clock[0] * 3600 + clock[1] * 60),
      state: words.count > 3 ? .due : .coming, alarm: AlarmKind(rawValue: words[0]))
  }

  private static let all = ["timer eggs 09:40", "timer pasta 09:50", "alarm Alarm 07:00", "alarm Alarm 19:30"]

  @Test(
    "By its kind, its name, its time, or because it rings",
    arguments: [
      ("timer", nil, nil, false, all, ["timer eggs 09:40", "timer pasta 09:50"], true),
      ("timer", "Pasta", nil, false, all, ["timer pasta 09:50"], false),
      ("timer", nil, nil, true, all, ["timer eggs 09:40", "timer pasta 09:50"], false),
      ("alarm", nil, "07:30", false, all, ["alarm Alarm 19:30"], false),
      ("alarm", nil, "05:00", false, all, [], true), ("timer", nil, nil, false, [], [], true),
      ("timer", nil, nil, false, all + ["timer tea 09:30 due"], ["timer tea 09:30 due"], false),
      // "Stop the alarm" while a timer rings.
      ("alarm", nil, nil, false, all + ["timer tea 09:30 due"], ["timer tea 09:30 due"], false),
    ] as [(String, String?, String?, Bool, [String], [String], Bool)])
  func chosen(
    kind: String, title: String?, clock: String?, all: Bool, standing: [String], expected: [String], isUnclear: Bool
  ) {
    var slots = Frame.Slots()
    (slots.alarm, slots.title, slots.all) = (AlarmKind(rawValue: kind), title, all)
    slots.datetimePoint = clock.map { "2026-06-10T\($0):00" }
    let frame = Frame(intent: .stopAlarm, slots: slots, policy: .init(needsConfirmation: false, confidence: 1))
    let choice = AlarmChoice(frame, among: standing.map(Self.ring), zone: Self.zone)
    #expect(choice.rings.map(\.id) == expected && choice.isUnclear == isUnclear)
  }

  @Test("Asking shows all of the kind, and none is no question back")
  func shown() {
    var slots = Frame.Slots()
    slots.alarm = .timer
    let frame = Frame(intent: .showAlarms, slots: slots, policy: .init(needsConfirmation: false, confidence: 1))
    #expect(AlarmChoice(frame, among: Self.all.map(Self.ring)).rings.count == 2)
    #expect(AlarmChoice(frame, among: []) == AlarmChoice(frame, among: [Self.ring("alarm Alarm 07:00")]))
  }
}
