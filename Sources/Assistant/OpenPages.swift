package import Core

/// The pages that are open. Once there have been some and none is visible, nobody looks.
actor OpenPages {
  /// A visible page that has told nothing for so long is taken for closed.
  static let silence = Duration.seconds(45)
  /// More than anybody has open; of those the ones that have said something last are known.
  static let most = 256

  /// When each of those that are visible last said so.
  private(set) var visible: [String: ContinuousClock.Instant] = [:]
  private var sawPage = false
  private var isWatched = false
  private let tell: @Sendable (_ isUnseen: Bool) async -> Void

  init(tell: @escaping @Sendable (_ isUnseen: Bool) async -> Void) { self.tell = tell }

  /// What a page says about itself; nil: it goes.
  func heard(of page: String, visible isVisible: Bool?, at now: ContinuousClock.Instant = .now) async {
    visible[page] = isVisible == true ? now : nil
    if visible.count > Self.most, let oldest = visible.min(by: { $0.value < $1.value })?.key { visible[oldest] = nil }
    sawPage = sawPage || isVisible != nil
    await lookAround(at: now)
    watch()
  }

  /// One that falls silent is missed though nobody says anything more.
  private func watch() {
    guard !isWatched, let oldest = visible.values.min() else { return }
    isWatched = true
    let rest = oldest + Self.silence + .seconds(1) - .now
    Task { [weak self] in
      guard await waited(rest) else { return }
      await self?.watchOn()
    }
  }

  private func watchOn() async {
    isWatched = false
    await lookAround()
    watch()
  }

  func lookAround(at now: ContinuousClock.Instant = .now) async {
    visible = visible.filter { now - $0.value < Self.silence }
    await tell(sawPage && visible.isEmpty)
  }
}

/// A page says whether it is visible, again every few seconds while it is, and that it goes.
package enum Presence: Operation {
  package struct Input: Codable, Sendable {
    package var page: String
    /// nil: the page goes.
    package var visible: Bool?
  }
  package static let name = "presence"
  /// Packs leave memory, and reminders come another way, where nobody looks.
  package static func check(_ input: Input, from caller: Caller) throws {
    guard caller.isPerson else { throw CallerError.personOnly("Saying whether anybody looks") }
  }
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<Nothing>) async throws {
    await house.pages.heard(of: input.page.letters(64), visible: input.visible)
    emit(Nothing())
  }
}
