import LiberaKit
import LiberaScreens
import SwiftUI

/// What may be used, what is left of the preview, and buying more.
struct PlanView: View {
  let screen: PlanScreen
  @Environment(\.words) private var words

  var body: some View {
    List {
      ProblemView(problem: screen.problem) { screen.dismissProblem() }
      Section(words(.plan)) {
        if let allowance = screen.allowance {
          Text(words(Self.word(allowance))).accessibilityIdentifier("plan.allowance")
          if allowance == .free, let preview = screen.preview {
            Text(words(.previewLeft, words.number(preview.left), words.number(preview.all)))
              .accessibilityIdentifier("plan.preview")
            Text(words(.previewHint)).font(.footnote)
          }
        } else {
          ProgressView(words(.beginning)).accessibilityIdentifier("plan.reading")
        }
        if !screen.isSold { Text(words(.nothingSold)).accessibilityIdentifier("plan.notSold") }
      }
      if screen.isSold { store }
    }
    .navigationTitle(words(.plan))
    .task { await screen.read() }
    .task(id: screen.isSold) { await screen.readOffers() }
  }

  private var store: some View {
    Section {
      ForEach(screen.wanted) { offer in
        Button(words(.buy, offer.name, offer.price)) { Task { await screen.buy(offer) } }
          .disabled(screen.stage == .buying || screen.stage == .restoring)
          .accessibilityIdentifier("plan.buy.\(offer.id)")
      }
      switch screen.stage {
      case .idle: EmptyView()
      case .buying, .restoring: ProgressView(words(.askingStore)).accessibilityIdentifier("plan.asking")
      case .waiting: Text(words(.purchaseWaits)).accessibilityIdentifier("plan.waiting")
      }
      Button(words(.restorePurchases)) { Task { await screen.restore() } }
        .disabled(screen.stage == .buying || screen.stage == .restoring)
        .accessibilityIdentifier("plan.restore")
    } footer: {
      Text(words(.storeHint))
    }
  }

  static func word(_ allowance: Allowance) -> Word {
    switch allowance {
    case .free: .planFree
    case .pro: .planPro
    case .lifetime: .planLifetime
    }
  }
}
