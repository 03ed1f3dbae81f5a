import LiberaKit
import LiberaScreens
import SwiftUI
import UniformTypeIdentifiers

/// The documents, and what is being taken in.
struct LibraryView: View {
  @Environment(Rooms.self) private var rooms
  @Environment(\.words) private var words
  @State private var imports = false
  @State private var chosen: Document?
  @State private var removes = false

  var body: some View {
    let screen = rooms.library
    List {
      ProblemView(problem: screen.problem) { screen.dismissProblem() }
      ImportView(screen: screen)
      if screen.documents.isEmpty, !screen.isImporting {
        ContentUnavailableView(
          words(.noDocuments), systemImage: "books.vertical", description: Text(words(.noDocumentsHint)))
      }
      ForEach(screen.documents) { document in
        DocumentRow(document: document)
          .swipeActions {
            Button(words(.remove), systemImage: "trash", role: .destructive) { (chosen, removes) = (document, true) }
              .accessibilityLabel(words(.removeNamed, document.name))
              .accessibilityIdentifier("library.remove.\(document.name)")
          }
      }
    }
    .navigationTitle(words(.library))
    .toolbar {
      ToolbarItem(placement: .primaryAction) {
        Button(words(.addDocuments), systemImage: "plus") { imports = true }
          .disabled(screen.isImporting)
          .accessibilityIdentifier("library.add")
      }
    }
    .task { await screen.refresh() }
    .fileImporter(isPresented: $imports, allowedContentTypes: [.item, .folder], allowsMultipleSelection: true) {
      result in
      let chosen = ChosenFiles(result)
      Task {
        await chosen.during { files in
          screen.take(files)
          await screen.settled()
        }
      }
    }
    .confirmationDialog(
      words(.removeQuestion, chosen?.name ?? ""), isPresented: $removes, titleVisibility: .visible, presenting: chosen
    ) { document in
      Button(words(.remove), role: .destructive) { Task { await screen.remove([document.id]) } }
        .accessibilityIdentifier("library.remove.confirm")
      Button(words(.cancel), role: .cancel) {}.accessibilityIdentifier("library.remove.cancel")
    } message: { _ in
      Text(words(.removeForGood))
    }
  }
}

struct DocumentRow: View {
  let document: Document
  @Environment(\.words) private var words

  var body: some View {
    VStack(alignment: .leading) {
      Text(document.title.isEmpty ? document.name : document.title)
      Text(details).font(.footnote)
      if let error = document.error { Label(error, systemImage: "exclamationmark.triangle").font(.footnote) }
    }
    .accessibilityElement(children: .combine)
    .accessibilityIdentifier("document.\(document.name)")
  }

  private var details: String {
    var parts = [document.name, words.bytes(Int64(document.bytes))]
    if let pages = document.pages { parts.append(words(.pages, words.number(pages))) }
    if !document.isReady { parts.append(words(.notReady)) }
    if document.sourceIsMissing { parts.append(words(.sourceMissing)) }
    return parts.joined(separator: " · ")
  }
}
