#if !os(macOS)
  import Foundation
  import UIKit

  /// The share sheet's "LiberaGPT": copies what is shared and closes. The app takes it in when it is opened next.
  final class ShareController: UIViewController {
    override func viewDidLoad() {
      super.viewDidLoad()
      guard let context = extensionContext else { return }
      guard let container = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: ShareInbox.group)
      else { return context.cancelRequest(withError: CocoaError(.fileNoSuchFile)) }
      let providers = context.inputItems.compactMap { $0 as? NSExtensionItem }.flatMap { $0.attachments ?? [] }
      Task {
        do {
          try await Self.keep(providers, in: ShareInbox(in: container))
          context.completeRequest(returningItems: nil)
        } catch { context.cancelRequest(withError: error) }
      }
    }

    /// One after the other: the system shows each as a file for the time of one call.
    private static func keep(_ providers: [NSItemProvider], in inbox: ShareInbox) async throws {
      for provider in providers {
        guard let type = provider.registeredTypeIdentifiers.first else { continue }
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
          _ = provider.loadFileRepresentation(forTypeIdentifier: type) { file, error in
            done.resume(
              with: Result {
                guard let file else { throw error ?? CocoaError(.fileReadUnknown) }
                try inbox.keep(file, called: file.lastPathComponent)
              })
          }
        }
      }
    }
  }
#endif
