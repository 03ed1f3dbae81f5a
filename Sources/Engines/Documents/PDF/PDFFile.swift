import CPDFium
import Documents
import Foundation

/// PDFium keeps state for the whole process and is not made for threads: every call into it happens inside `use`.
enum PDFium {
  private static let lock = NSRecursiveLock()
  private static let started: Void = FPDF_InitLibrary()

  static func use<Result>(_ body: () throws -> Result) rethrows -> Result {
    try lock.withLock {
      started
      return try body()
    }
  }
}

/// An open PDF. Its pages are opened one at a time.
final class PDFFile {
  private let source: ByteSource
  private let access: UnsafeMutablePointer<FPDF_FILEACCESS>
  private let document: FPDF_DOCUMENT
  let pageCount: Int
  private(set) var form: PDFForm?

  init(_ source: ByteSource, password: String?) throws {
    self.source = source
    let access = UnsafeMutablePointer<FPDF_FILEACCESS>.allocate(capacity: 1)
    self.access = access
    access.initialize(
      to: FPDF_FILEACCESS(
        m_FileLen: UInt(source.size),
        m_GetBlock: { context, position, buffer, size in
          guard let context, let buffer else { return 0 }
          let source = Unmanaged<ByteSource>.fromOpaque(context).takeUnretainedValue()
          return source.copy(at: Int(clamping: position), to: buffer, count: Int(clamping: size)) ? 1 : 0
        },
        m_Param: Unmanaged.passUnretained(source).toOpaque()))
    let (opened, code) = PDFium.use { (FPDF_LoadCustomDocument(access, password), FPDF_GetLastError()) }
    guard let opened else {
      access.deallocate()
      switch Int(code) {
      case Int(FPDF_ERR_PASSWORD): throw password == nil ? DocumentError.needsPassword : .wrongPassword
      case Int(FPDF_ERR_SECURITY): throw DocumentError.protected("with a scheme that cannot be opened")
      default: throw DocumentError.damaged("it is cut off, or no PDF inside")
      }
    }
    document = opened
    pageCount = PDFium.use { max(0, Int(FPDF_GetPageCount(opened))) }
    form = PDFForm(opened)
  }

  deinit {
    form = nil
    PDFium.use { FPDF_CloseDocument(document) }
    access.deallocate()
  }

  /// "Title", "Author" and the like; nil when absent or blank.
  func metadata(_ tag: String) -> String? {
    let units = PDFium.use { () -> [UInt16] in
      let bytes = FPDF_GetMetaText(document, tag, nil, 0)
      guard bytes > 2, bytes < 64 << 10 else { return [] }
      var units = [UInt16](repeating: 0, count: Int(bytes) / 2)
      _ = FPDF_GetMetaText(document, tag, &units, bytes)
      return units
    }
    let text = String(decoding: units.prefix { $0 != 0 }, as: UTF16.self).trimmingCharacters(
      in: .whitespacesAndNewlines)
    return text.isEmpty ? nil : text
  }

  /// Opens a page (0-based) for the time of `body`; other documents wait meanwhile.
  func withPage<Result>(_ index: Int, _ body: (OpenPage) throws -> Result) throws -> Result {
    try PDFium.use {
      guard let page = FPDF_LoadPage(document, CInt(index)) else {
        throw DocumentError.damaged("page \(index + 1) cannot be opened")
      }
      defer { FPDF_ClosePage(page) }
      return try body(OpenPage(handle: page))
    }
  }
}

/// A page while it is open.
struct OpenPage {
  let handle: FPDF_PAGE

  var width: Double { Double(FPDF_GetPageWidthF(handle)) }
  var height: Double { Double(FPDF_GetPageHeightF(handle)) }

  /// How much of the page pictures cover, 0...1, and whether anything at all is drawn.
  var pictures: (share: Double, objects: Int) {
    let count = FPDFPage_CountObjects(handle)
    var area = 0.0
    for index in 0..<min(count, 500) {
      guard let object = FPDFPage_GetObject(handle, index),
        FPDFPageObj_GetType(object) == CInt(FPDF_PAGEOBJ_IMAGE)
      else { continue }
      var (left, bottom, right, top) = (Float(0), Float(0), Float(0), Float(0))
      guard FPDFPageObj_GetBounds(object, &left, &bottom, &right, &top) != 0 else { continue }
      area += Double(max(0, right - left)) * Double(max(0, top - bottom))
    }
    let page = width * height
    return (page > 0 ? min(1, area / page) : 0, Int(max(0, count)))
  }

  /// Draws the page with its annotations on white: `format` Gray has one byte a pixel, BGRx four.
  func draw(width: Int, height: Int, gray: Bool) throws -> [UInt8] {
    let stride = gray ? width : width * 4
    var pixels = [UInt8](repeating: 0xFF, count: stride * height)
    let drawn = pixels.withUnsafeMutableBytes { buffer -> Bool in
      let format = gray ? FPDFBitmap_Gray : FPDFBitmap_BGRx
      guard
        let bitmap = FPDFBitmap_CreateEx(
          CInt(width), CInt(height), CInt(format), buffer.baseAddress, CInt(stride))
      else { return false }
      let flags = FPDF_ANNOT | (gray ? FPDF_GRAYSCALE : 0)
      FPDF_RenderPageBitmap(bitmap, handle, 0, 0, CInt(width), CInt(height), 0, CInt(flags))
      FPDFBitmap_Destroy(bitmap)
      return true
    }
    guard drawn else { throw DocumentError.damaged("the page cannot be drawn") }
    return pixels
  }
}
