import LiberaKit
import LiberaScreens
import SwiftUI
import UniformTypeIdentifiers

/// Three steps: what is promised, the models, the first document.
struct FirstRunView: View {
  @Environment(Rooms.self) private var rooms
  @Environment(\.words) private var words

  var body: some View {
    let screen = rooms.firstRun
    NavigationStack {
      List {
        if let step = screen.step {
          Text(words(.step, words.number(step.rawValue + 1), words.number(FirstRunScreen.Step.allCases.count)))
            .font(.footnote)
            .accessibilityIdentifier("first.step")
          switch step {
          case .promise: PromiseStep()
          case .models: ModelsStep(screen: screen)
          case .documents: DocumentsStep()
          }
        }
        ProblemView(problem: screen.problem) { screen.leave() }
        if screen.step != .promise {
          Button(words(.back)) { screen.goBack() }.accessibilityIdentifier("first.back")
        }
        Button(words(screen.step == .documents ? .begin : .goOn)) { screen.goOn() }
          .buttonStyle(.borderedProminent)
          .accessibilityIdentifier("first.next")
        Button(words(.later)) { screen.leave() }
          .accessibilityHint(words(.laterHint))
          .accessibilityIdentifier("first.later")
      }
      .navigationTitle(words(.welcome))
    }
  }
}

private struct PromiseStep: View {
  @Environment(\.words) private var words

  var body: some View {
    Section(words(.promise)) {
      Label(words(.promiseLocal), systemImage: "iphone")
      Label(words(.promiseEvidence), systemImage: "text.quote")
      Label(words(.promiseYours), systemImage: "trash")
    }
  }
}

private struct ModelsStep: View {
  let screen: FirstRunScreen
  @Environment(Rooms.self) private var rooms
  @Environment(\.words) private var words

  var body: some View {
    Section(words(.models)) {
      Text(words(screen.hasChatModel ? .hasChatModel : .noChatModel)).accessibilityIdentifier("first.chatModel")
      Text(words(screen.hasEmbedder ? .hasEmbedder : .noEmbedder)).accessibilityIdentifier("first.embedder")
      PackList(screen: rooms.packs)
    }
  }
}

private struct DocumentsStep: View {
  @Environment(Rooms.self) private var rooms
  @Environment(\.words) private var words
  @State private var imports = false

  var body: some View {
    let screen = rooms.library
    Section(words(.firstDocument)) {
      Text(words(.noDocumentsHint))
      Button(words(.addDocuments), systemImage: "plus") { imports = true }
        .disabled(screen.isImporting)
        .accessibilityIdentifier("first.add")
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
    ImportView(screen: screen)
  }
}
