import CLeptonica
import Documents
import Foundation

/// A picture file: one page, or several in a TIFF. Leptonica decodes PNG, JPEG, TIFF, BMP, GIF, WebP and PNM.
struct Picture {
  private let bytes: [UInt8]
  private let orientation: Int
  private let isTIFF: Bool
  /// Where each page of a TIFF begins.
  private var offsets: [Int] = [0]

  init(_ bytes: [UInt8], limits: ParseLimits) throws {
    self.bytes = bytes
    _ = setMsgSeverity(CInt(L_SEVERITY_NONE))
    var (format, width, height, depth, samples, mapped) = (
      l_int32(0), l_int32(0), l_int32(0), l_int32(0), l_int32(0), l_int32(0)
    )
    guard pixReadHeaderMem(bytes, bytes.count, &format, &width, &height, &depth, &samples, &mapped) == 0, width > 0,
      height > 0
    else { throw DocumentError.damaged("the picture's header makes no sense") }
    let pixels = Int(width) * Int(height)
    guard pixels <= limits.pixels else { throw DocumentError.tooManyPixels(pixels, limit: limits.pixels) }
    orientation = bytes.starts(with: [0xFF, 0xD8]) ? EXIF.orientation(bytes) : 1
    isTIFF = bytes.starts(with: [0x49, 0x49]) || bytes.starts(with: [0x4D, 0x4D])
    if isTIFF { offsets = TIFF.pages(bytes, limit: limits) }
  }

  var pageCount: Int { offsets.count }

  /// Decodes a page (0-based), turned as the camera was held.
  func page(_ index: Int, limits: ParseLimits) throws -> (pix: Scan, pointsPerPixel: Double) {
    guard offsets.indices.contains(index) else { throw DocumentError.noSuchPage(index + 1, of: pageCount) }
    var offset = offsets[index]
    let decoded = isTIFF ? pixReadMemFromMultipageTiff(bytes, bytes.count, &offset) : pixReadMem(bytes, bytes.count)
    guard let decoded else { throw DocumentError.damaged("the picture cannot be decoded") }
    let scan = Scan(taking: decoded)
    guard scan.width * scan.height <= limits.pixels else {
      throw DocumentError.tooManyPixels(scan.width * scan.height, limit: limits.pixels)
    }
    let resolution = Int(pixGetXRes(decoded))
    let dots = (60...1200).contains(resolution) ? resolution : max(scan.width, scan.height) > 2000 ? 300 : 96
    scan.rotate(quarters: [3: 2, 6: 1, 8: 3][orientation] ?? 0)
    return (scan, 72 / Double(dots))
  }
}

/// The page directories of a TIFF, walked by hand: a chain that loops ends where it would begin again.
private enum TIFF {
  static func pages(_ bytes: [UInt8], limit: ParseLimits) -> [Int] {
    let big = bytes.starts(with: [0x4D, 0x4D])
    func number(_ at: Int, _ count: Int) -> Int? {
      guard at >= 0, at + count <= bytes.count else { return nil }
      let slice = bytes[at..<at + count]
      return (big ? Array(slice) : slice.reversed()).reduce(0) { $0 << 8 | Int($1) }
    }
    var offsets: [Int] = []
    var seen: Set<Int> = []
    var next = number(4, 4)
    while let at = next, at != 0, seen.insert(at).inserted, offsets.count <= limit.pages,
      let entries = number(at, 2)
    {
      // Leptonica takes 0 for the first page and a directory's offset for the others.
      offsets.append(offsets.isEmpty ? 0 : at)
      next = number(at + 2 + entries * 12, 4)
    }
    return offsets.isEmpty ? [0] : offsets
  }
}

/// The one field of a photograph's EXIF that matters here: how the camera was held.
private enum EXIF {
  static func orientation(_ bytes: [UInt8]) -> Int {
    var at = 2
    while at + 10 < bytes.count, bytes[at] == 0xFF {
      let length = Int(bytes[at + 2]) << 8 | Int(bytes[at + 3])
      if bytes[at + 1] == 0xE1, Array(bytes[(at + 4)..<min(at + 8, bytes.count)]) == Array("Exif".utf8) {
        return tag(bytes[(at + 10)..<max(at + 10, min(bytes.count, at + 2 + length))])
      }
      if bytes[at + 1] == 0xDA || length < 2 { break }
      at += 2 + length
    }
    return 1
  }

  private static func tag(_ slice: ArraySlice<UInt8>) -> Int {
    let data = Array(slice)
    guard data.count > 8 else { return 1 }
    let big = data[0] == 0x4D
    func number(_ at: Int, _ count: Int) -> Int {
      guard at >= 0, at + count <= data.count else { return 0 }
      let part = data[at..<at + count]
      return (big ? Array(part) : part.reversed()).reduce(0) { $0 << 8 | Int($1) }
    }
    let directory = number(4, 4)
    for entry in 0..<min(64, number(directory, 2)) where number(directory + 2 + entry * 12, 2) == 0x112 {
      return number(directory + 2 + entry * 12 + 8, 2)
    }
    return 1
  }
}

/// A picture read as a document of as many pages as it has.
struct PictureParser {
  let picture: Picture
  let reader: PictureReader

  static func info(_ picture: Picture) -> DocumentInfo {
    var info = DocumentInfo(kind: .image)
    info.pages = picture.pageCount
    return info
  }

  func parse(_ output: ParseOutput) throws {
    let count = picture.pageCount
    guard count <= output.limits.pages else { throw DocumentError.tooManyPages(count, limit: output.limits.pages) }
    try output.begin(Self.info(picture))
    for number in stride(from: max(1, output.request.first), through: min(count, output.request.last ?? count), by: 1)
    where !output.request.leaving.contains(number) {
      // One that ends the reader costs itself alone, where there are others.
      if count > 1 { try output.reading(number) }
      do {
        let (scan, pointsPerPixel) = try picture.page(number - 1, limits: output.limits)
        let (width, height) = (Double(scan.width) * pointsPerPixel, Double(scan.height) * pointsPerPixel)
        guard output.request.recognise else {
          try output.add(Page(number: number, width: width, height: height))
          continue
        }
        // Tesseract wants letters some 20 pixels high; a screenshot's have ten.
        let small = pointsPerPixel > 72.0 / 160 && scan.width * scan.height < 4_000_000
        scan.makeGray()
        if small { scan.enlarge(2.5) }
        let scale = width / Double(scan.width)
        try output.add(
          try reader.read(scan, pointsPerPixel: scale, output: output).page(number, width: width, height: height))
      } catch let error as DocumentError {
        if count == 1 { throw error }
        try output.problem(number, error)
      }
      try output.progress(number, of: count)
    }
  }
}
