import LiberaDoors
import LiberaKit
import LiberaScreens
import PhotosUI
import SwiftUI
import UniformTypeIdentifiers

/// The documents, and what is being taken in.
struct LibraryView: View {
  @Environment(Rooms.self) private var rooms
  @Environment(\.words) private var words
  @State private var imports = false
  @State private var picks = false
  @State private var picked: [PhotosPickerItem] = []
  @State private var scans = false
  @State private var chosen: Document?
  @State private var removes = false

  var body: some View {
    let screen = rooms.library
    documents(screen)
      .navigationTitle(words(.library))
      .toolbar {
        ToolbarItem(placement: .primaryAction) {
          Button(words(.addDocuments), systemImage: "plus") { imports = true }
            .disabled(screen.isImporting)
            .accessibilityIdentifier("library.add")
        }
        ToolbarItem {
          Button(words(.addPhotos), systemImage: "photo.on.rectangle") { picks = true }
            .disabled(screen.isImporting)
            .accessibilityIdentifier("library.photos")
        }
        ToolbarItem {
          if DocumentCamera.isThere {
            Button(words(.scan), systemImage: "doc.viewfinder") { scans = true }
              .disabled(screen.isImporting)
              .accessibilityHint(words(.scanHint))
              .accessibilityIdentifier("library.scan")
          }
        }
      }
      .task { await screen.refresh() }
      .photoPicker(isPresented: $picks, selection: $picked, atMost: 50)
      .onChange(of: picked) { _, chosen in
        picked = []
        screen.take(photos: chosen.map(PickedPhoto.init), called: words(.photo))
      }
      .documentCamera(isPresented: $scans) { result in
        switch result {
        case .success(let pages): screen.take(scan: pages, called: words(.scanned))
        case .failure(let error): screen.failed(error)
        }
      }
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

  private func documents(_ screen: LibraryScreen) -> some View {
    List {
      ProblemView(problem: screen.problem) { screen.dismissProblem() }
      ImportView(screen: screen)
      if screen.documents.isEmpty, !screen.isImporting {
        ContentUnavailableView(
          words(.noDocuments), systemImage: "books.vertical", description: Text(words(.noDocumentsHint)))
      }
      ForEach(screen.documents) { document in
        DocumentRow(document: document, missesFile: screen.missesFile(of: document))
          .swipeActions {
            Button(words(.remove), systemImage: "trash", role: .destructive) { (chosen, removes) = (document, true) }
              .accessibilityLabel(words(.removeNamed, document.name))
              .accessibilityIdentifier("library.remove.\(document.name)")
          }
      }
    }
  }
}

struct DocumentRow: View {
  let document: Document
  let missesFile: Bool
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
    if missesFile { parts.append(words(.sourceMissing)) }
    return parts.joined(separator: " · ")
  }
}
