import Foundation
import LiberaDoors
import LiberaScreens
import SwiftUI

/// A draft that waits to be looked over in the system's mail, and what became of it there.
struct MailDraftView: View {
  let command: CommandScreen
  let draft: MailDraft
  @Environment(\.words) private var words
  @Environment(\.openURL) private var openURL
  @State private var composes = false

  var body: some View {
    VStack(alignment: .leading) {
      if let end = command.mailEnd {
        Text(told(end)).font(.footnote).accessibilityIdentifier("mail.end")
      }
      if command.mailEnd != .sent {
        Button(words(.openInMail), systemImage: "envelope") { open() }
          .accessibilityHint(words(.openInMailHint))
          .accessibilityIdentifier("mail.open")
      }
    }
    .mailSheet(isPresented: $composes, draft) { command.mailed($0) }
  }

  private func open() {
    guard !MailSheet.isThere, let link = draft.link else { return composes = true }
    let command = command
    openURL(link) { accepted in command.mailed(accepted ? .opened : .failed("")) }
  }

  private func told(_ end: MailDraft.End) -> String {
    switch end {
    case .sent: words(.mailSent)
    case .saved: words(.mailSaved)
    case .left: words(.mailLeft)
    case .opened: words(.mailOpened)
    case .failed(let reason): words(.mailFailed, reason)
    }
  }
}
