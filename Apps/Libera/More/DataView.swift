import LiberaKit
import LiberaScreens
import SwiftUI

/// What is kept here, and destroying it, each kind without the others.
struct DataView: View {
  @Environment(Rooms.self) private var rooms
  @Environment(\.words) private var words

  var body: some View {
    let screen = rooms.data
    List {
      ProblemView(problem: screen.problem) { screen.dismissProblem() }
      if let storage = screen.storage { StorageSection(storage: storage) }
      Section {
        ForEach(KeptData.allCases, id: \.self) { kind in
          Button(words(.destroy, words(Self.name(kind))), role: .destructive) { Task { await screen.ask(kind) } }
            .disabled(screen.isDestroying)
            .accessibilityIdentifier("data.\(kind.rawValue)")
        }
      } footer: {
        Text(words(.dataHint))
      }
      if screen.isDestroying { ProgressView(words(.destroying)).accessibilityIdentifier("data.destroying") }
      if let kind = screen.destroyed {
        Text(words(.destroyed, words(Self.name(kind)))).accessibilityIdentifier("data.destroyed")
      }
    }
    .navigationTitle(words(.data))
    .task { await screen.readStorage() }
    .confirmationDialog(
      words(.destroyQuestion), isPresented: asks, titleVisibility: .visible, presenting: screen.question
    ) { question in
      Button(words(.destroy, words(Self.name(question.kind))), role: .destructive) {
        Task { await screen.destroy(question.kind) }
      }
      .accessibilityIdentifier("data.confirm")
      Button(words(.cancel), role: .cancel) {}.accessibilityIdentifier("data.cancel")
    } message: { question in
      Text(told(question.measured))
    }
  }

  private var asks: Binding<Bool> {
    let screen = rooms.data
    return Binding(get: { screen.question != nil }, set: { if !$0 { screen.dismiss() } })
  }

  private func told(_ measured: DataMeasured) -> String {
    let goes = measured.goes.map { "\(words.number($0.count)) \($0.what)" }.joined(separator: ", ")
    let first = goes.isEmpty ? words(.nothingGoes) : words(.goes, goes)
    return ([first] + measured.stays + [words(.removeForGood)]).joined(separator: "\n")
  }

  static func name(_ kind: KeptData) -> Word {
    switch kind {
    case .conversations: .conversations
    case .documents: .documents
    case .logs: .logs
    case .settings: .settings
    case .actions: .actions
    case .everything: .everything
    }
  }
}

/// What is taken of the device's storage, and what is left.
private struct StorageSection: View {
  let storage: StorageUse
  @Environment(\.words) private var words

  var body: some View {
    Section(words(.storage)) {
      line(.storageDocuments, storage.documents).accessibilityIdentifier("storage.documents")
      line(.storageModels, storage.models).accessibilityIdentifier("storage.models")
      line(.storageOther, storage.other).accessibilityIdentifier("storage.other")
      line(.storageFree, storage.free).accessibilityIdentifier("storage.free")
    }
  }

  private func line(_ name: Word, _ bytes: Int64) -> some View {
    LabeledContent(words(name), value: words.bytes(bytes))
  }
}
