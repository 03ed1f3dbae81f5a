import Foundation
import LiberaKit
import LiberaScreens
import SwiftUI

#if canImport(UIKit)
  import UIKit
#elseif canImport(AppKit)
  import AppKit
#endif

/// The page behind a citation with the passage marked, or the text around it.
struct CitedPageView: View {
  let page: Result<PageView, LiberaError>?
  @Environment(\.dismiss) private var dismiss
  @Environment(\.words) private var words

  var body: some View {
    NavigationStack {
      ScrollView {
        switch page {
        case .success(let page)?: shown(page)
        case .failure(let error)?: Text(error.description).accessibilityIdentifier("page.failed")
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
    return page.citation.page.map { words(.onPage, page.citation.document, words.number($0)) } ?? page.citation.document
  }

  @ViewBuilder private func shown(_ page: PageView) -> some View {
    if let picture = page.picture.flatMap(Self.image) {
      picture.resizable().scaledToFit()
        .accessibilityLabel(words(.pageWithPassage, page.citation.text))
        .accessibilityIdentifier("page.picture")
    }
    VStack(alignment: .leading, spacing: 8) {
      Text(page.before).foregroundStyle(.secondary)
      Text(page.citation.text).bold().textSelection(.enabled)
        .accessibilityLabel(words(.passage, page.citation.text))
        .accessibilityIdentifier("page.passage")
      Text(page.after).foregroundStyle(.secondary)
    }
    .padding()
  }

  private static func image(_ png: Data) -> Image? {
    #if canImport(UIKit)
      UIImage(data: png).map { Image(uiImage: $0) }
    #elseif canImport(AppKit)
      NSImage(data: png).map { Image(nsImage: $0) }
    #endif
  }
}
