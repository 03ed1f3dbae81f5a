import Foundation
import LiberaDoors
import LiberaKit
import LiberaScreens
import PhotosUI
import SwiftUI
import UniformTypeIdentifiers

/// The conversation: turns above, the composer below.
struct ChatView: View {
  @Environment(Rooms.self) private var rooms
  @Environment(\.words) private var words
  @State private var attaches = false
  @State private var picks = false
  @State private var picked: [PhotosPickerItem] = []
  @State private var scans = false
  @State private var listsConversations = false

  var body: some View {
    let chat = rooms.chat
    ScrollView {
      LazyVStack(alignment: .leading, spacing: 16) {
        ProblemView(problem: chat.problem ?? rooms.aloud.problem) {
          chat.dismissProblem()
          rooms.aloud.dismissProblem()
        }
        if chat.turns.isEmpty { empty }
        ForEach(chat.turns) { turn in TurnView(turn: turn) }
        attachments(chat)
      }
      .padding()
    }
    .navigationTitle(chat.title.isEmpty ? words(.chat) : chat.title)
    .announces(chat.isAnswering) { [words] isAnswering in
      isAnswering ? nil : chat.turns.last.flatMap { words.told($0) }
    }
    .onDisappear { rooms.aloud.hush() }
    .safeAreaInset(edge: .top) { BreakNotice() }
    .safeAreaInset(edge: .bottom) { composer(chat) }
    .toolbar {
      ToolbarItem(placement: .automatic) {
        Button(words(.conversations), systemImage: "clock.arrow.circlepath") { listsConversations = true }
          .accessibilityIdentifier("chat.conversations")
      }
      ToolbarItem(placement: .primaryAction) {
        Button(words(.newConversation), systemImage: "square.and.pencil") { rooms.newConversation() }
          .accessibilityIdentifier("chat.new")
      }
    }
    .sheet(isPresented: $listsConversations) { ConversationsView() }
    .sheet(isPresented: Binding(get: { chat.page != nil }, set: { if !$0 { chat.closePage() } })) {
      CitedPageView(page: chat.page)
    }
    .fileImporter(isPresented: $attaches, allowedContentTypes: [.item], allowsMultipleSelection: true) { result in
      let chosen = ChosenFiles(result)
      Task { await chosen.during { await chat.attach($0) } }
    }
  }

  private func composer(_ chat: ChatScreen) -> some View {
    ComposerView(chat: chat, attach: { attaches = true }, attachPhotos: { picks = true }, scan: { scans = true })
      .photoPicker(isPresented: $picks, selection: $picked, atMost: 10)
      .onChange(of: picked) { _, chosen in
        picked = []
        chat.attach(photos: chosen.map(PickedPhoto.init), called: words(.photo))
      }
      .documentCamera(isPresented: $scans) { result in
        switch result {
        case .success(let pages): chat.attach(scan: pages, called: words(.scanned))
        case .failure(let error): chat.failed(error)
        }
      }
  }

  private var empty: some View {
    ContentUnavailableView(
      words(.askYourDocuments), systemImage: "text.magnifyingglass", description: Text(words(.askHint)))
  }

  @ViewBuilder private func attachments(_ chat: ChatScreen) -> some View {
    if chat.isAttaching { ProgressView(words(.attaching)).accessibilityIdentifier("chat.attaching") }
    if !chat.attached.isEmpty {
      Label(words(.attached, chat.attached.joined(separator: ", ")), systemImage: "paperclip").font(.footnote)
        .accessibilityIdentifier("chat.attached")
    }
  }
}
