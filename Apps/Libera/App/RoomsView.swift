import LiberaScreens
import SwiftUI

/// Where a person can be.
enum Place: String, Hashable, CaseIterable { case chat, library, voice, actions, more }

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
    .onAppear { rooms.device.watch() }
    .onDisappear { rooms.device.leave() }
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
