import Foundation
public import LiberaScreens
public import SwiftUI

#if !os(macOS)
  import UIKit
  import VisionKit
#endif

/// The system's document camera, which finds the edges of a sheet and takes page after page. The Mac has none.
@MainActor public enum DocumentCamera {
  public static var isThere: Bool {
    #if os(macOS)
      false
    #else
      VNDocumentCameraViewController.isSupported
    #endif
  }
}

extension View {
  /// Shows the camera while the binding is true, and tells its pages, or nothing where the person leaves it.
  public func documentCamera(
    isPresented: Binding<Bool>, _ scanned: @escaping @MainActor (Result<[ScannedPage], any Error>) -> Void
  ) -> some View {
    #if os(macOS)
      self
    #else
      fullScreenCover(isPresented: isPresented) {
        CameraView { result in
          isPresented.wrappedValue = false
          if let result { scanned(result) }
        }
      }
    #endif
  }
}

#if !os(macOS)
  private struct CameraView: UIViewControllerRepresentable {
    /// nil: the person has left it.
    let ended: @MainActor (Result<[ScannedPage], any Error>?) -> Void

    func makeCoordinator() -> Ear { Ear(ended) }

    func makeUIViewController(context: Context) -> VNDocumentCameraViewController {
      let camera = VNDocumentCameraViewController()
      camera.delegate = context.coordinator
      return camera
    }

    func updateUIViewController(_ camera: VNDocumentCameraViewController, context: Context) {}

    @MainActor final class Ear: NSObject, VNDocumentCameraViewControllerDelegate {
      private let ended: @MainActor (Result<[ScannedPage], any Error>?) -> Void
      init(_ ended: @escaping @MainActor (Result<[ScannedPage], any Error>?) -> Void) { self.ended = ended }

      func documentCameraViewController(
        _ controller: VNDocumentCameraViewController, didFinishWith scan: VNDocumentCameraScan
      ) {
        ended(
          Result {
            try (0..<scan.pageCount).map { number in
              let image = scan.imageOfPage(at: number)
              guard let jpeg = image.jpegData(compressionQuality: 0.85) else { throw CocoaError(.fileReadCorruptFile) }
              return ScannedPage(jpeg: jpeg, turn: ScannedPage.Turn(image.imageOrientation))
            }
          })
      }

      func documentCameraViewControllerDidCancel(_ controller: VNDocumentCameraViewController) { ended(nil) }

      func documentCameraViewController(
        _ controller: VNDocumentCameraViewController, didFailWithError error: any Error
      ) { ended(.failure(error)) }
    }
  }

  extension ScannedPage.Turn {
    /// Mirrored pictures do not come from this camera.
    fileprivate init(_ orientation: UIImage.Orientation) {
      switch orientation {
      case .right, .rightMirrored: self = .right
      case .down, .downMirrored: self = .around
      case .left, .leftMirrored: self = .left
      case .up, .upMirrored: self = .none
      @unknown default: self = .none
      }
    }
  }
#endif
