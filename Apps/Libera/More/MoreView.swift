import LiberaScreens
import SwiftUI

/// Models, device, settings, what is kept, and what this program is made of.
struct MoreView: View {
  @Environment(Rooms.self) private var rooms
  @Environment(\.words) private var words

  var body: some View {
    List {
      NavigationLink(words(.models)) { PacksView() }.accessibilityIdentifier("more.models")
      NavigationLink(words(.settings)) { SettingsView() }.accessibilityIdentifier("more.settings")
      NavigationLink(words(.device)) { DeviceView() }.accessibilityIdentifier("more.device")
      NavigationLink(words(.diagnostics)) { DiagnosticsView() }.accessibilityIdentifier("more.diagnostics")
      NavigationLink(words(.plan)) { PlanView(screen: rooms.plan) }.accessibilityIdentifier("more.plan")
      NavigationLink(words(.data)) { DataView() }.accessibilityIdentifier("more.data")
      NavigationLink(words(.licences)) { LicencesView() }.accessibilityIdentifier("more.licences")
    }
    .navigationTitle(words(.more))
  }
}

/// The licences of the program and of its parts.
struct LicencesView: View {
  @Environment(Rooms.self) private var rooms
  @Environment(\.words) private var words

  var body: some View {
    ScrollView {
      ProblemView(problem: rooms.data.problem) { rooms.data.dismissProblem() }
      if let licences = rooms.data.licences {
        Text(licences).font(.footnote).textSelection(.enabled).accessibilityIdentifier("licences")
      } else {
        ProgressView(words(.opening)).accessibilityIdentifier("licences.reading")
      }
    }
    .navigationTitle(words(.licences))
    .task { await rooms.data.readLicences() }
  }
}
