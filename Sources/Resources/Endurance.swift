/// Notices a long stretch of inference, and says so once.
package struct Endurance: Sendable {
  /// A gap shorter than this does not let a device cool down, and does not end the stretch.
  private let gap: Duration
  private let stretch: Duration
  private var began: Duration?
  private var lastBusy: Duration?
  private var said = false

  package init(stretch: Duration = .seconds(15 * 60), gap: Duration = .seconds(60)) {
    self.stretch = stretch
    self.gap = gap
  }

  /// True the one time a break should be suggested.
  package mutating func take(busy: Bool, at now: Duration) -> Bool {
    if let lastBusy, now - lastBusy > gap { began = nil }
    guard busy else { return false }
    if began == nil { began = now }
    lastBusy = now
    guard !said, let began, now - began >= stretch else { return false }
    said = true
    return true
  }
}
