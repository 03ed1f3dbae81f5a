import Foundation
public import LiberaScreens
public import SwiftUI

#if !os(macOS)
  import MessageUI
  import UIKit
#endif

/// The system's sheet in which mail is looked over and sent. The Mac has none; there a draft is opened as a link.
@MainActor public enum MailSheet {
  public static var isThere: Bool {
    #if os(macOS)
      false
    #else
      MFMailComposeViewController.canSendMail()
    #endif
  }
}

extension View {
  /// Shows the sheet while the binding is true, and tells what the person has done with the draft.
  public func mailSheet(
    isPresented: Binding<Bool>, _ draft: MailDraft?, _ ended: @escaping @MainActor (MailDraft.End) -> Void
  ) -> some View {
    #if os(macOS)
      self
    #else
      sheet(isPresented: isPresented) {
        if let draft {
          ComposeView(draft: draft) { end in
            isPresented.wrappedValue = false
            ended(end)
          }
        }
      }
    #endif
  }
}

#if !os(macOS)
  private struct ComposeView: UIViewControllerRepresentable {
    let draft: MailDraft
    let ended: @MainActor (MailDraft.End) -> Void

    func makeCoordinator() -> Ear { Ear(ended) }

    func makeUIViewController(context: Context) -> MFMailComposeViewController {
      let sheet = MFMailComposeViewController()
      sheet.mailComposeDelegate = context.coordinator
      sheet.setToRecipients(draft.recipients)
      sheet.setSubject(draft.subject)
      sheet.setMessageBody(draft.body, isHTML: false)
      return sheet
    }

    func updateUIViewController(_ sheet: MFMailComposeViewController, context: Context) {}

    @MainActor final class Ear: NSObject, MFMailComposeViewControllerDelegate {
      private let ended: @MainActor (MailDraft.End) -> Void
      init(_ ended: @escaping @MainActor (MailDraft.End) -> Void) { self.ended = ended }

      func mailComposeController(
        _ controller: MFMailComposeViewController, didFinishWith result: MFMailComposeResult, error: (any Error)?
      ) {
        switch result {
        case .sent: ended(.sent)
        case .saved: ended(.saved)
        case .cancelled: ended(.left)
        case .failed: ended(.failed(error?.localizedDescription ?? ""))
        @unknown default: ended(.failed(error?.localizedDescription ?? ""))
        }
      }
    }
  }
#endif
