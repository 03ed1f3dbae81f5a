import Foundation
import LiberaKit
import LiberaScreens
import SwiftUI
import UniformTypeIdentifiers

/// The models: which are here, which fit this device, and what is being taken in.
struct PacksView: View {
  @Environment(Rooms.self) private var rooms
  @Environment(\.words) private var words

  var body: some View {
    List { PackList(screen: rooms.packs) }
      .navigationTitle(words(.models))
      .task { await rooms.packs.refresh() }
  }
}

/// The list for itself: the first run shows it as well.
struct PackList: View {
  let screen: PacksScreen
  @Environment(\.words) private var words
  @State private var chooses = false
  @State private var chosen: ModelPack?
  @State private var removes = false
  @State private var tries = false

  var body: some View {
    Group {
      ProblemView(problem: screen.problem) { screen.dismissProblem() }
      if let work = screen.work {
        ProgressView(work.step, value: work.share).accessibilityIdentifier("packs.work")
        Button(words(.stop), systemImage: "stop.fill") { screen.stop() }.accessibilityIdentifier("packs.stop")
      }
      ForEach(Array(screen.notes.enumerated()), id: \.offset) { _, note in Text(note).font(.footnote) }
      Button(words(.addModels), systemImage: "plus") { chooses = true }
        .disabled(screen.work != nil)
        .accessibilityHint(words(.addModelsHint))
        .accessibilityIdentifier("packs.add")
      Text(words(.getModelHint)).font(.footnote)
      ForEach(screen.packs) { pack in
        PackRow(
          pack: pack, screen: screen,
          tryOut: {
            screen.trial.begin(pack)
            tries = true
          }, remove: { (chosen, removes) = (pack, true) })
      }
    }
    .sheet(isPresented: $tries) { TrialView(trial: screen.trial) }
    .fileImporter(isPresented: $chooses, allowedContentTypes: [.data], allowsMultipleSelection: false) { result in
      let chosen = ChosenFiles(result)
      Task {
        await chosen.during { files in
          guard let file = files.first else { return }
          screen.install(file)
          await screen.settled()
        }
      }
    }
    .confirmationDialog(
      words(.removeQuestion, chosen?.name ?? ""), isPresented: $removes, titleVisibility: .visible, presenting: chosen
    ) { pack in
      Button(words(.remove), role: .destructive) { Task { await screen.remove(pack.id) } }
        .accessibilityIdentifier("packs.remove.confirm")
      Button(words(.cancel), role: .cancel) {}.accessibilityIdentifier("packs.remove.cancel")
    } message: { _ in
      Text(words(.removeModelHint))
    }
  }
}

struct PackRow: View {
  let pack: ModelPack
  let screen: PacksScreen
  let tryOut: @MainActor () -> Void
  let remove: @MainActor () -> Void
  @Environment(\.words) private var words

  var body: some View {
    VStack(alignment: .leading) {
      VStack(alignment: .leading) {
        Text(pack.name)
        Text([kind, pack.quantization, words.bytes(pack.bytes), pack.licence].joined(separator: " · ")).font(.footnote)
        Text(state).font(.footnote)
        Text(pack.fits ? words(.fits, words.bytes(pack.footprintBytes)) : words(.doesNotFit, pack.fitReason))
          .font(.footnote)
      }
      .accessibilityElement(children: .combine)
      .accessibilityIdentifier("pack.\(pack.id)")
      if !pack.isInstalled, pack.fits, let address = pack.address {
        Link(words(.getModel, address.host() ?? ""), destination: address)
          .accessibilityLabel(words(.getModelNamed, pack.name, address.host() ?? ""))
          .accessibilityHint(words(.getModelHint))
          .accessibilityIdentifier("pack.get.\(pack.id)")
      }
      if pack.isInstalled {
        Sidewise {
          Button(words(.verify)) { screen.verify(pack.id) }
            .disabled(screen.work != nil)
            .accessibilityLabel(words(.verifyNamed, pack.name))
            .accessibilityIdentifier("pack.verify.\(pack.id)")
          if pack.kind == .chat {
            Button(words(.tryOut), action: tryOut)
              .disabled(screen.work != nil)
              .accessibilityLabel(words(.tryOutNamed, pack.name))
              .accessibilityHint(words(.tryOutHint))
              .accessibilityIdentifier("pack.try.\(pack.id)")
          }
          Button(words(.remove), role: .destructive, action: remove)
            .disabled(screen.work != nil)
            .accessibilityLabel(words(.removeNamed, pack.name))
            .accessibilityIdentifier("pack.remove.\(pack.id)")
        }
      }
    }
  }

  private var state: String {
    guard pack.isInstalled else { return words(.notHere) }
    return words(pack.isVerified ? .hereVerified : .hereUnverified)
  }

  private var kind: String {
    switch pack.kind {
    case .chat: words(.kindChat)
    case .embed: words(.kindEmbed)
    case .speech: words(.kindSpeech)
    case .voice: words(.kindVoice)
    }
  }
}
