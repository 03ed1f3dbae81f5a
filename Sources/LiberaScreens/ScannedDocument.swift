import Foundation
import LiberaKit

/// Scanned pages as one PDF. The pictures stay the bytes that the camera made; nothing is coded a second time.
struct ScannedDocument {
  private var pages: [(page: ScannedPage, size: JPEGSize)] = []

  init(_ scan: [ScannedPage]) throws {
    guard !scan.isEmpty else { throw LiberaError(code: "scan_empty", message: "The scan has no page.") }
    for page in scan {
      guard let size = JPEGSize(page.jpeg) else { throw PictureFolder.notAPicture }
      pages.append((page, size))
    }
  }

  /// Each page is as high as a sheet of A4, or as wide if it lies.
  private static let longEdge = 842.0

  var pdf: Data {
    var file = PDFFile()
    let kids = pages.indices.map { "\(3 + $0 * 3) 0 R" }.joined(separator: " ")
    file.add("<< /Type /Catalog /Pages 2 0 R >>")
    file.add("<< /Type /Pages /Kids [\(kids)] /Count \(pages.count) >>")
    for (place, (page, size)) in pages.enumerated() {
      let scale = Self.longEdge / Double(max(size.width, size.height))
      let (width, height) = (Self.points(size.width, scale), Self.points(size.height, scale))
      let drawing = "q \(width) 0 0 \(height) 0 0 cm /P Do Q"
      let number = 3 + place * 3
      file.add(
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 \(width) \(height)] /Rotate \(page.turn.rawValue) "
          + "/Resources << /XObject << /P \(number + 2) 0 R >> >> /Contents \(number + 1) 0 R >>")
      file.add("<< /Length \(drawing.utf8.count) >>", stream: Data(drawing.utf8))
      file.add(
        "<< /Type /XObject /Subtype /Image /Width \(size.width) /Height \(size.height) /BitsPerComponent 8 "
          + "/ColorSpace /\(size.isGrey ? "DeviceGray" : "DeviceRGB") /Filter /DCTDecode /Length \(page.jpeg.count) >>",
        stream: page.jpeg)
    }
    return file.closed
  }

  /// With two digits after the point, whatever the person's language writes there.
  private static func points(_ pixels: Int, _ scale: Double) -> String {
    let hundredths = max(1, Int((Double(pixels) * scale * 100).rounded()))
    return "\(hundredths / 100)." + String("0\(hundredths % 100)".suffix(2))
  }
}

/// The objects of a PDF one after the other, and where each begins.
private struct PDFFile {
  private var data = Data("%PDF-1.4\n".utf8)
  private var starts: [Int] = []

  mutating func add(_ object: String, stream: Data? = nil) {
    starts.append(data.count)
    data += Data("\(starts.count) 0 obj\n\(object)\n".utf8)
    if let stream { data += Data("stream\n".utf8) + stream + Data("\nendstream\n".utf8) }
    data += Data("endobj\n".utf8)
  }

  var closed: Data {
    let lines = starts.map { String(("0000000000" + String($0)).suffix(10)) + " 00000 n \n" }.joined()
    let table = "xref\n0 \(starts.count + 1)\n0000000000 65535 f \n\(lines)"
    let end = "trailer << /Size \(starts.count + 1) /Root 1 0 R >>\nstartxref\n\(data.count)\n%%EOF\n"
    return data + Data((table + end).utf8)
  }
}

/// How large a JPEG is, by the header of its frame.
struct JPEGSize: Equatable {
  var width: Int
  var height: Int
  var isGrey: Bool

  /// nil for what is no JPEG, or one in colours other than grey and red, green and blue.
  init?(_ data: Data) {
    let bytes = [UInt8](data)
    guard bytes.starts(with: [0xFF, 0xD8]) else { return nil }
    var at = 2
    while at + 3 < bytes.count, bytes[at] == 0xFF {
      let marker = bytes[at + 1]
      // A marker may be filled up from the left.
      if marker == 0xFF {
        at += 1
        continue
      }
      let length = Int(bytes[at + 2]) << 8 | Int(bytes[at + 3])
      if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) {
        guard length >= 8, at + 9 < bytes.count else { return nil }
        height = Int(bytes[at + 5]) << 8 | Int(bytes[at + 6])
        width = Int(bytes[at + 7]) << 8 | Int(bytes[at + 8])
        isGrey = bytes[at + 9] == 1
        guard width > 0, height > 0, isGrey || bytes[at + 9] == 3 else { return nil }
        return
      }
      // The picture itself begins, or the file ends, before its size was said.
      guard length >= 2, marker != 0xDA, marker != 0xD9 else { return nil }
      at += 2 + length
    }
    return nil
  }
}
