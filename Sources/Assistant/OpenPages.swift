import Core

/// The pages that are open. Once there have been some and none is visible, nobody looks.
actor OpenPages {
  /// A visible page that has told nothing for so long is taken for closed.
  static let silence = Duration.seconds(45)

  private var pages: [String: (visible: Bool, heard: ContinuousClock.Instant)] = [:]
  private var sawPage = false
  private let tell: @Sendable (_ isUnseen: Bool) async -> Void

  init(tell: @escaping @Sendable (_ isUnseen: Bool) async -> Void) { self.tell = tell }

  /// What a page says about itself; nil: it goes.
  func heard(of page: String, visible: Bool?, at now: ContinuousClock.Instant = .now) async {
    pages[page] = visible.map { (visible: $0, heard: now) }
    await lookAround(at: now)
    guard visible == true else { return }
    Task { [weak self] in
      guard await waited(Self.silence + .seconds(1)) else { return }
      await self?.lookAround()
    }
  }

  func lookAround(at now: ContinuousClock.Instant = .now) async {
    pages = pages.filter { now - $0.value.heard < Self.silence || !$0.value.visible }
    sawPage = sawPage || !pages.isEmpty
    await tell(sawPage && !pages.values.contains(where: \.visible))
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
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<Nothing>) async throws {
    await house.pages.heard(of: String(input.page.prefix(64)), visible: input.visible)
    emit(Nothing())
  }
}
