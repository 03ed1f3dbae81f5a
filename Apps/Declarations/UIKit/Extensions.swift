public import Foundation
package import Synchronization

/// What stands here for the app group and for what somebody shares.
package final class ShareRoom: Sendable {
  package struct State: Sendable {
    /// The folders of app groups.
    package var containers: [String: URL] = [:]
    package var completed = 0
    package var cancelled = 0
  }
  package static let shared = ShareRoom()
  package let state = Mutex(State())
}

extension FileManager {
  /// https://developer.apple.com/documentation/foundation/filemanager/containerurl(forsecurityapplicationgroupidentifier:)
  public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? {
    ShareRoom.shared.state.withLock { $0.containers[groupIdentifier] }
  }
}

/// Foundation's on Apple systems. https://developer.apple.com/documentation/foundation/nsitemprovider
open class NSItemProvider: NSObject, @unchecked Sendable {
  private let file: URL?
  package init(of file: URL?) { self.file = file }
  open var registeredTypeIdentifiers: [String] { ["public.data"] }

  /// The file is there until the handler returns.
  open func loadFileRepresentation(
    forTypeIdentifier typeIdentifier: String, completionHandler: @escaping @Sendable (URL?, (any Error)?) -> Void
  ) -> Progress {
    completionHandler(file, file == nil ? CocoaError(.fileReadNoSuchFile) : nil)
    return Progress(totalUnitCount: 1)
  }
}

/// https://developer.apple.com/documentation/foundation/nsextensionitem
open class NSExtensionItem: NSObject {
  open var attachments: [NSItemProvider]?
}

/// https://developer.apple.com/documentation/foundation/nsextensioncontext
open class NSExtensionContext: NSObject, @unchecked Sendable {
  open var inputItems: [Any] = []
  open func completeRequest(returningItems items: [Any]?, completionHandler: (@Sendable (Bool) -> Void)? = nil) {
    ShareRoom.shared.state.withLock { $0.completed += 1 }
  }
  open func cancelRequest(withError error: any Error) { ShareRoom.shared.state.withLock { $0.cancelled += 1 } }
}
