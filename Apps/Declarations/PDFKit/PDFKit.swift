public import Foundation
package import SwiftUI
package import Synchronization
public import UIKit

/// What a stage remembers of PDFKit: where the last view was brought to, in the coordinates of its page.
package final class PageRoom: Sendable {
  package struct Shown: Sendable, Equatable {
    package var page: CGRect
    package var brought: CGRect?
    package var fits: Bool
  }
  package static let shared = PageRoom()
  package let shown = Mutex(Shown?.none)
}

/// https://developer.apple.com/documentation/pdfkit/pdfdisplaybox
public enum PDFDisplayBox: Int, Sendable { case mediaBox, cropBox, bleedBox, trimBox, artBox }

/// https://developer.apple.com/documentation/pdfkit/pdfdisplaymode
public enum PDFDisplayMode: Int, Sendable { case singlePage, singlePageContinuous, twoUp, twoUpContinuous }

/// https://developer.apple.com/documentation/pdfkit/pdfpage
open class PDFPage: NSObject {
  private let size: CGSize

  /// A page of the picture's size in points. https://developer.apple.com/documentation/pdfkit/pdfpage/init(image:)
  public init?(image: UIImage) { size = image.size }

  /// From the lower left corner. https://developer.apple.com/documentation/pdfkit/pdfpage/bounds(for:)
  open func bounds(for box: PDFDisplayBox) -> CGRect { CGRect(origin: CGPoint(x: 0, y: 0), size: size) }
}

/// https://developer.apple.com/documentation/pdfkit/pdfdocument
open class PDFDocument: NSObject {
  private var pages: [PDFPage] = []
  public override init() {}
  open var pageCount: Int { pages.count }
  open func page(at index: Int) -> PDFPage? { pages.indices.contains(index) ? pages[index] : nil }
  open func insert(_ page: PDFPage, at index: Int) { pages.insert(page, at: index) }
}

/// A view that zooms and scrolls. https://developer.apple.com/documentation/pdfkit/pdfview
open class PDFView: UIView, Played {
  open var document: PDFDocument? { didSet { tell { $0.brought = nil } } }
  open var displayMode = PDFDisplayMode.singlePageContinuous
  /// The page is scaled to the width of the view, also when that changes.
  open var autoScales = false { didSet { tell { $0.fits = self.autoScales } } }
  open var minScaleFactor: CGFloat = 0
  open var maxScaleFactor: CGFloat = 0
  open var scaleFactorForSizeToFit: CGFloat { 1 }

  /// https://developer.apple.com/documentation/pdfkit/pdfview/go(to:on:)
  open func go(to rect: CGRect, on page: PDFPage) { tell { $0.brought = rect } }

  private func tell(_ change: (inout PageRoom.Shown) -> Void) {
    guard let page = document?.page(at: 0) else { return }
    PageRoom.shared.shown.withLock { shown in
      var new = PageRoom.Shown(page: page.bounds(for: .mediaBox), brought: shown?.brought, fits: autoScales)
      change(&new)
      shown = new
    }
  }

  package func node() -> Node { Node(.picture, document.map { "pages: \($0.pageCount)" } ?? "") }
}
