public import Foundation
public import LiberaKit
import PDFKit
public import SwiftUI

#if canImport(UIKit)
  import UIKit
#elseif canImport(AppKit)
  import AppKit
#endif

/// The picture of a page in the system's reader of PDF, which zooms and scrolls it. The reader is given our picture and never a
/// stranger's file: that was read before, within bounds.
public struct ZoomingPage: View {
  private let picture: Data
  private let passage: PagePlace?

  /// - Parameters:
  ///   - picture: The page as a PNG.
  ///   - passage: What is to be seen first.
  public init(_ picture: Data, passage: PagePlace?) { (self.picture, self.passage) = (picture, passage) }

  public var body: some View { Reader(picture: picture, passage: passage) }
}

private struct Reader {
  let picture: Data
  let passage: PagePlace?

  @MainActor fileprivate func view() -> PDFView {
    let view = PDFView()
    view.displayMode = .singlePage
    view.autoScales = true
    guard let page = page() else { return view }
    let document = PDFDocument()
    document.insert(page, at: 0)
    view.document = document
    view.maxScaleFactor = 4 * max(1, view.scaleFactorForSizeToFit)
    guard let passage else { return view }
    let bounds = page.bounds(for: .mediaBox)
    // PDF counts from the lower left corner. Only a view that has its size can be brought anywhere.
    let place = CGRect(
      x: bounds.minX + passage.left * bounds.width, y: bounds.minY + (1 - passage.bottom) * bounds.height,
      width: (passage.right - passage.left) * bounds.width, height: (passage.bottom - passage.top) * bounds.height)
    Task { view.go(to: place, on: page) }
    return view
  }

  @MainActor private func page() -> PDFPage? {
    #if canImport(UIKit)
      UIImage(data: picture).flatMap(PDFPage.init(image:))
    #elseif canImport(AppKit)
      NSImage(data: picture).flatMap(PDFPage.init(image:))
    #endif
  }
}

#if canImport(UIKit)
  extension Reader: UIViewRepresentable {
    func makeUIView(context: Context) -> PDFView { view() }
    func updateUIView(_ view: PDFView, context: Context) {}
  }
#elseif canImport(AppKit)
  extension Reader: NSViewRepresentable {
    func makeNSView(context: Context) -> PDFView { view() }
    func updateNSView(_ view: PDFView, context: Context) {}
  }
#endif
