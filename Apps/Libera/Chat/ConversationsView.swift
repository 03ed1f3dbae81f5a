import Foundation
import LiberaKit
import LiberaScreens
import SwiftUI

/// The conversations that were kept.
struct ConversationsView: View {
  @Environment(Rooms.self) private var rooms
  @Environment(\.dismiss) private var dismiss
  @Environment(\.words) private var words
  @State private var chosen: ConversationLine?
  @State private var renames = false
  @State private var removes = false
  @State private var title = ""

  var body: some View {
    @Bindable var screen = rooms.conversations
    NavigationStack {
      List {
        ProblemView(problem: screen.problem) { screen.dismissProblem() }
        if let hits = screen.hits { found(hits) } else { all(screen) }
      }
      .navigationTitle(words(.conversations))
      .searchable(text: $screen.words, prompt: words(.searchConversations))
      .toolbar {
        ToolbarItem(placement: .confirmationAction) {
          Button(words(.close)) { dismiss() }.accessibilityIdentifier("conversations.close")
        }
      }
      .task(id: screen.words) { await screen.search() }
      .task { await screen.refresh() }
      .onDisappear { screen.words = "" }
      .sheet(
        isPresented: Binding(get: { screen.written != nil }, set: { if !$0 { screen.putAway() } })
      ) { WrittenConversation(text: screen.written ?? "") }
      .alert(words(.rename), isPresented: $renames, presenting: chosen) { line in
        TextField(words(.title), text: $title).accessibilityIdentifier("conversations.title")
        Button(words(.save)) { Task { await screen.rename(line.id, to: title) } }
          .accessibilityIdentifier("conversations.save")
        Button(words(.cancel), role: .cancel) {}.accessibilityIdentifier("conversations.cancel")
      } message: { _ in
        Text(words(.renameHint))
      }
      .confirmationDialog(
        words(.removeQuestion, chosen?.title ?? ""), isPresented: $removes, titleVisibility: .visible,
        presenting: chosen
      ) { line in
        Button(words(.remove), role: .destructive) { Task { await screen.remove([line.id]) } }
          .accessibilityIdentifier("conversations.remove.confirm")
        Button(words(.cancel), role: .cancel) {}.accessibilityIdentifier("conversations.remove.cancel")
      } message: { _ in
        Text(words(.removeForGood))
      }
    }
  }

  @ViewBuilder private func all(_ screen: ConversationsScreen) -> some View {
    let lines = screen.lines
    if lines.isEmpty { Text(words(.noConversations)) }
    ForEach(lines) { line in
      row(line.id, line.title, words.moment(line.updated), "conversation.\(line.id)")
        .swipeActions {
          Button(words(.share), systemImage: "square.and.arrow.up") { Task { await screen.writeOut(line.id) } }
            .accessibilityLabel(words(.shareNamed, line.title))
            .accessibilityIdentifier("conversation.share.\(line.id)")
          Button(words(.rename), systemImage: "pencil") { (chosen, title, renames) = (line, line.title, true) }
            .accessibilityLabel(words(.renameNamed, line.title))
            .accessibilityIdentifier("conversation.rename.\(line.id)")
          Button(words(.remove), systemImage: "trash", role: .destructive) { (chosen, removes) = (line, true) }
            .accessibilityLabel(words(.removeNamed, line.title))
            .accessibilityIdentifier("conversation.remove.\(line.id)")
        }
    }
  }

  @ViewBuilder private func found(_ hits: [ConversationHit]) -> some View {
    if hits.isEmpty { Text(words(.nothingFound)) }
    ForEach(Array(hits.enumerated()), id: \.offset) { place, hit in
      row(hit.conversation, hit.title, hit.text, "conversation.found.\(place)")
    }
  }

  private func row(_ id: UUID, _ title: String, _ detail: String, _ name: String) -> some View {
    Button {
      Task { await rooms.open(id) }
      dismiss()
    } label: {
      VStack(alignment: .leading) {
        Text(title)
        Text(detail).font(.footnote)
      }
    }
    .accessibilityIdentifier(name)
  }
}

/// A conversation as text, to be read over and handed to another program.
private struct WrittenConversation: View {
  let text: String
  @Environment(\.dismiss) private var dismiss
  @Environment(\.words) private var words

  var body: some View {
    NavigationStack {
      ScrollView {
        Text(text).textSelection(.enabled).padding().accessibilityIdentifier("written.text")
      }
      .navigationTitle(words(.share))
      .toolbar {
        ToolbarItem(placement: .primaryAction) {
          ShareLink(words(.share), item: text)
            .accessibilityHint(words(.shareHint))
            .accessibilityIdentifier("written.share")
        }
        ToolbarItem(placement: .cancellationAction) {
          Button(words(.close)) { dismiss() }.accessibilityIdentifier("written.close")
        }
      }
    }
  }
}
