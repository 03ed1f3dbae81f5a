public import Foundation
package import SwiftUI
package import Synchronization
public import UIKit

/// What stands here for the system's mail: whether an account is set up.
package final class MailRoom: Sendable {
  package static let shared = MailRoom()
  package let hasAccount = Mutex(true)
}

/// https://developer.apple.com/documentation/messageui/mfmailcomposeresult
public enum MFMailComposeResult: Int, Sendable { case cancelled, saved, sent, failed }

/// https://developer.apple.com/documentation/messageui/mfmailcomposeviewcontrollerdelegate
@MainActor public protocol MFMailComposeViewControllerDelegate: NSObjectProtocol {
  func mailComposeController(
    _ controller: MFMailComposeViewController, didFinishWith result: MFMailComposeResult, error: (any Error)?)
}

/// Whoever shows it takes it away. https://developer.apple.com/documentation/messageui/mfmailcomposeviewcontroller
open class MFMailComposeViewController: UIViewController, Played {
  private var parts = (to: [String](), subject: "", body: "", isHTML: false)
  open class func canSendMail() -> Bool { MailRoom.shared.hasAccount.withLock { $0 } }
  open weak var mailComposeDelegate: (any MFMailComposeViewControllerDelegate)?

  open func setToRecipients(_ toRecipients: [String]?) { parts.to = toRecipients ?? [] }
  open func setSubject(_ subject: String) { parts.subject = subject }
  open func setMessageBody(_ body: String, isHTML: Bool) { (parts.body, parts.isHTML) = (body, isHTML) }

  package func node() -> Node {
    let words =
      "\(parts.to.joined(separator: ",")) | \(parts.subject) | \(parts.body)" + (parts.isHTML ? " as HTML" : "")
    var node = Node(.importer, words)
    for (name, result) in [
      ("cancel", MFMailComposeResult.cancelled), ("save", .saved), ("send", .sent), ("fail", .failed),
    ] {
      node.acts[name] = { [self] in
        let error = result == .failed ? CocoaError(.fileWriteUnknown) : nil
        mailComposeDelegate?.mailComposeController(self, didFinishWith: result, error: error)
      }
    }
    return node
  }
}
