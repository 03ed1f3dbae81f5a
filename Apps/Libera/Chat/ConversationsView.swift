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
        if let hits = screen.hits { found(hits) } else { all(screen.lines) }
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

  @ViewBuilder private func all(_ lines: [ConversationLine]) -> some View {
    if lines.isEmpty { Text(words(.noConversations)) }
    ForEach(lines) { line in
      row(line.id, line.title, words.moment(line.updated), "conversation.\(line.id)")
        .swipeActions {
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
