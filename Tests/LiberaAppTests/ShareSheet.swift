import Foundation
import Synchronization

@testable import LiberaShare
@testable import UIKit

/// The system's share sheet. It stands apart from the tests: beside UIKit the testing library looks for a part of its own that is
/// not there on Linux.
@MainActor
enum ShareSheet {
  static func begin(group: URL?) {
    var containers: [String: URL] = [:]
    if let group { containers[ShareInbox.group] = group }
    let state = ShareRoom.State(containers: containers)
    ShareRoom.shared.state.withLock { $0 = state }
  }

  static var ended: (completed: Int, cancelled: Int) {
    ShareRoom.shared.state.withLock { ($0.completed, $0.cancelled) }
  }

  /// nil: something that turns out not to be there.
  static func share(_ files: [URL?]) {
    let item = NSExtensionItem()
    item.attachments = files.map(NSItemProvider.init(of:))
    let context = NSExtensionContext()
    context.inputItems = [item]
    let controller = ShareController()
    controller.extensionContext = context
    controller.viewDidLoad()
  }
}
