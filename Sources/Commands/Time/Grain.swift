/// How exactly a moment was named: "at 3" is an hour, "3:15" a minute, "on Friday" a day.
package enum Grain: String, Codable, Sendable, Comparable, CaseIterable {
  case second, minute, hour, day, week, month, quarter, year

  package static func < (left: Grain, right: Grain) -> Bool { left.rank < right.rank }

  /// The next finer grain: what "in two weeks" is exact to.
  var finer: Grain {
    switch self {
    case .second, .minute: .second
    case .hour: .minute
    case .day: .hour
    case .week, .month: .day
    case .quarter, .year: .month
    }
  }

  private var rank: Int {
    switch self {
    case .second: 0
    case .minute: 1
    case .hour: 2
    case .day: 3
    case .week: 4
    case .month: 5
    case .quarter: 6
    case .year: 7
    }
  }
}
