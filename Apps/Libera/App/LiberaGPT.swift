import AppIntents
import Foundation
import LiberaDoors
import LiberaKit
public import LiberaScreens
public import SwiftUI

/// The app of iPhone, iPad and Mac. A program of a few lines marks a type like this one as its main (Apps/README.md).
public struct LiberaGPT: App {
  @State private var app: AppScreen

  /// - Parameter doors: What of the device the app may reach; `Doors.apple` is everything.
  public init(doors: Doors) {
    let app = AppScreen(doors: doors, folder: Self.home) {
      try await Libera(
        home: Self.home, resources: Bundle.main.resourceURL, platform: doors.model, signposts: doors.signposts,
        recogniser: doors.recogniser)
    }
    _app = State(initialValue: app)
    let errands = Errands(app)
    AppDependencyManager.shared.add(dependency: errands)
  }

  public init() { self.init(doors: .apple) }

  public var body: some Scene {
    WindowGroup { AppView(app) }
  }

  /// Everything that is kept. On iPhone the system deletes it with the app.
  static var home: URL {
    FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
      .appending(path: "LiberaGPT", directoryHint: .isDirectory)
  }
}
