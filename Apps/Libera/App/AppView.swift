import LiberaKit
public import LiberaScreens
public import SwiftUI

/// The whole app.
public struct AppView: View {
  private let app: AppScreen
  @Environment(\.scenePhase) private var phase
  @Environment(\.words) private var words

  public init(_ app: AppScreen) { self.app = app }

  public var body: some View {
    Group {
      switch app.stage {
      case .opening: ProgressView(words(.opening)).accessibilityIdentifier("app.opening")
      case .failed(let error): failed(error)
      case .open(let rooms):
        RoomsView().environment(rooms)
          .onChange(of: phase) { _, new in Task { await rooms.life.moved(to: AppLife.Phase(new)) } }
      }
    }
    .task { await app.open() }
    .onOpenURL { link in Task { await Errands(app).follow(link) } }
  }

  private func failed(_ error: LiberaError) -> some View {
    ContentUnavailableView {
      Label(words(.cannotOpen), systemImage: "lock.trianglebadge.exclamationmark")
    } description: {
      Text(error.description)
    } actions: {
      Button(words(.tryAgain)) { Task { await app.open() } }.accessibilityIdentifier("app.retry")
    }
  }
}

extension AppLife.Phase {
  init(_ phase: ScenePhase) {
    switch phase {
    case .active: self = .active
    case .background: self = .background
    case .inactive: self = .inactive
    @unknown default: self = .inactive
    }
  }
}
