/// Notices a long stretch of inference, and says so once.
package struct Endurance: Sendable {
  /// A gap shorter than this does not let a device cool down, and does not end the stretch.
  private let gap: Duration
  package var stretch: Duration
  private var began: Duration?
  private var lastBusy: Duration?
  private var said = false
  /// The break has been suggested and not yet been taken.
  package var isDue: Bool { said && began != nil }

  package init(stretch: Duration = .seconds(15 * 60), gap: Duration = .seconds(60)) {
    self.stretch = stretch
    self.gap = gap
  }

  /// True the one time a break should be suggested.
  package mutating func take(busy: Bool, at now: Duration) -> Bool {
    if let lastBusy, now - lastBusy > gap { began = nil }
    guard busy, stretch > .zero else { return false }
    if began == nil { began = now }
    lastBusy = now
    guard !said, let began, now - began >= stretch else { return false }
    said = true
    return true
  }
}
