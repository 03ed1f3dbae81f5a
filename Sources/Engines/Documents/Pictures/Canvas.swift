import CLeptonica
import Documents
import Foundation

/// A page drawn for the reader, four bytes a pixel (BGRA), with passages marked as with a highlighter.
struct Canvas {
  private(set) var width: Int
  private(set) var height: Int
  private(set) var pixels: [UInt8]

  init(width: Int, height: Int, bgra pixels: [UInt8]) {
    (self.width, self.height, self.pixels) = (width, height, pixels)
    for index in stride(from: 3, to: self.pixels.count, by: 4) { self.pixels[index] = 0xFF }
  }

  /// From a decoded picture of any depth, scaled.
  init(_ scan: Scan, scale: Double) throws {
    if scale != 1 { scan.enlarge(Float(scale)) }
    guard var colour = pixConvertTo32(scan.pix).map(Optional.some) else {
      throw DocumentError.recognition("there is no memory for the picture")
    }
    defer { pixDestroy(&colour) }
    let words = Int(pixGetWpl(colour))
    let (width, height) = (Int(pixGetWidth(colour)), Int(pixGetHeight(colour)))
    var pixels = [UInt8](repeating: 0xFF, count: width * height * 4)
    if let data = pixGetData(colour) {
      for y in 0..<height {
        for x in 0..<width {
          let value = data[y * words + x]
          let at = (y * width + x) * 4
          pixels[at] = UInt8(value >> 8 & 0xFF)
          pixels[at + 1] = UInt8(value >> 16 & 0xFF)
          pixels[at + 2] = UInt8(value >> 24 & 0xFF)
        }
      }
    }
    self.init(width: width, height: height, bgra: pixels)
  }

  /// Multiplies the ground with yellow, so that dark letters stay dark.
  mutating func mark(_ boxes: [Box], scale: Double) {
    func pixel(_ value: Double, _ limit: Int) -> Int { value.isFinite ? Int(min(max(value, 0), Double(limit))) : 0 }
    for box in boxes {
      let (x0, x1) = (pixel((box.x0 - 1) * scale, width), pixel(((box.x1 + 1) * scale).rounded(.up), width))
      let (y0, y1) = (pixel((box.y0 - 1) * scale, height), pixel(((box.y1 + 1) * scale).rounded(.up), height))
      guard x0 < x1, y0 < y1 else { continue }
      for y in y0..<y1 {
        for x in x0..<x1 {
          let at = (y * width + x) * 4
          // A pixel already yellow stays as it is, so that overlapping marks do not darken.
          let (blue, green) = (Int(pixels[at]), Int(pixels[at + 1]))
          if blue * 3 > green { pixels[at] = UInt8(blue * 80 / 255) }
          pixels[at + 1] = UInt8(green * 235 / 255)
        }
      }
    }
  }

  func png() throws -> Data {
    guard let pix = pixCreate(CInt(width), CInt(height), 32), let data = pixGetData(pix) else {
      throw DocumentError.recognition("there is no memory for the picture")
    }
    for index in 0..<width * height {
      let at = index * 4
      data[index] = UInt32(pixels[at + 2]) << 24 | UInt32(pixels[at + 1]) << 16 | UInt32(pixels[at]) << 8
    }
    return try Scan(taking: pix).png()
  }
}
