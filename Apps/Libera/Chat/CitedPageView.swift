import Foundation
import LiberaDoors
import LiberaKit
import LiberaScreens
import SwiftUI

/// The page behind a citation with the passage marked, or the text around it.
struct CitedPageView: View {
  let page: Result<PageView, LiberaError>?
  @Environment(\.dismiss) private var dismiss
  @Environment(\.words) private var words

  var body: some View {
    NavigationStack {
      Group {
        switch page {
        case .success(let page)?: shown(page)
        case .failure(let error)?: ScrollView { Text(error.description).accessibilityIdentifier("page.failed") }
        case nil: Text(words(.finding))
        }
      }
      .navigationTitle(title)
      .toolbar {
        ToolbarItem(placement: .confirmationAction) {
          Button(words(.close)) { dismiss() }.accessibilityIdentifier("page.close")
        }
      }
    }
  }

  private var title: String {
    guard case .success(let page)? = page else { return words(.evidenceTitle) }
    return words.name(of: page.citation)
  }

  /// The page zooms and scrolls by itself; the words below it scroll for themselves.
  private func shown(_ page: PageView) -> some View {
    VStack(spacing: 0) {
      if let picture = page.picture {
        ZoomingPage(picture, passage: page.passage)
          .frame(minHeight: 240)
          .accessibilityElement(children: .ignore)
          .accessibilityLabel(words(.pageWithPassage, page.citation.text))
          .accessibilityIdentifier("page.picture")
      }
      ScrollView { text(page).padding() }
    }
  }

  private func text(_ page: PageView) -> some View {
    VStack(alignment: .leading, spacing: 8) {
      Text(page.before).foregroundStyle(.secondary)
      Text(page.citation.text).bold().textSelection(.enabled)
        .accessibilityLabel(words(.passage, page.citation.text))
        .accessibilityIdentifier("page.passage")
      Text(page.after).foregroundStyle(.secondary)
    }
  }
}
