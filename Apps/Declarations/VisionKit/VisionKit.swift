public import Foundation
package import SwiftUI
package import Synchronization
public import UIKit

/// What stands here for the device's camera.
package final class CameraRoom: Sendable {
  package static let shared = CameraRoom()
  package let isSupported = Mutex(true)
}

/// https://developer.apple.com/documentation/visionkit/vndocumentcamerascan
open class VNDocumentCameraScan: NSObject {
  private let pages: [UIImage]
  init(_ pages: [UIImage]) { self.pages = pages }
  open var pageCount: Int { pages.count }
  open func imageOfPage(at index: Int) -> UIImage { pages[index] }
}

/// https://developer.apple.com/documentation/visionkit/vndocumentcameraviewcontrollerdelegate
@MainActor public protocol VNDocumentCameraViewControllerDelegate: NSObjectProtocol {
  func documentCameraViewController(
    _ controller: VNDocumentCameraViewController, didFinishWith scan: VNDocumentCameraScan)
  func documentCameraViewControllerDidCancel(_ controller: VNDocumentCameraViewController)
  func documentCameraViewController(_ controller: VNDocumentCameraViewController, didFailWithError error: any Error)
}

/// Pages are given to it as files. Whoever shows it takes it away, in each of the three cases.
/// https://developer.apple.com/documentation/visionkit/vndocumentcameraviewcontroller
open class VNDocumentCameraViewController: UIViewController, Played {
  open class var isSupported: Bool { CameraRoom.shared.isSupported.withLock { $0 } }
  open weak var delegate: (any VNDocumentCameraViewControllerDelegate)?

  package func node() -> Node {
    var node = Node(.importer, "document camera")
    node.give = { [self] files in
      let images = files.compactMap { FileManager.default.contents(atPath: $0.path).flatMap(UIImage.init(data:)) }
      delegate?.documentCameraViewController(self, didFinishWith: VNDocumentCameraScan(images))
    }
    node.acts["cancel"] = { [self] in delegate?.documentCameraViewControllerDidCancel(self) }
    node.acts["fail"] = { [self] in
      delegate?.documentCameraViewController(self, didFailWithError: CocoaError(.fileReadUnknown))
    }
    return node
  }
}
