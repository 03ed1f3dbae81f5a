import LiberaScreens
import SwiftUI

/// An open home: the first steps, or the tabs.
struct RoomsView: View {
  @Environment(Rooms.self) private var rooms
  @Environment(\.words) private var words
  @State private var place = Place.chat

  var body: some View {
    Group {
      if rooms.firstRun.step != nil {
        FirstRunView()
      } else {
        tabs
      }
    }
    .onAppear {
      rooms.life.appears()
      rooms.device.watch()
    }
    .onDisappear { rooms.device.leave() }
    .onChange(of: rooms.wanted, initial: true) { _, wanted in
      guard let wanted else { return }
      (place, rooms.wanted) = (wanted, nil)
    }
    .task { await rooms.plan.follow() }
    .task { if let signals = rooms.doors.signals { await rooms.life.follow(signals) } }
  }

  private var tabs: some View {
    TabView(selection: $place) {
      Tab(words(.chat), systemImage: "bubble.left.and.text.bubble.right", value: Place.chat) {
        NavigationStack { ChatView() }
      }
      Tab(words(.library), systemImage: "books.vertical", value: Place.library) {
        NavigationStack { LibraryView() }
      }
      Tab(words(.speak), systemImage: "mic", value: Place.voice) {
        NavigationStack { VoiceView(goToChat: { place = .chat }) }
      }
      Tab(words(.actions), systemImage: "checklist", value: Place.actions) {
        NavigationStack { ActionsView() }
      }
      Tab(words(.more), systemImage: "gearshape", value: Place.more) {
        NavigationStack { MoreView() }
      }
    }
  }
}
