import CLeptonica
import Documents
import Foundation

/// A picture made ready for recognition: grey, evenly lit, upright.
final class Scan {
  private(set) var pix: UnsafeMutablePointer<PIX>
  /// Clockwise angle by which the content was turned to stand straight, in radians.
  private(set) var turned = 0.0

  var width: Int { Int(pixGetWidth(pix)) }
  var height: Int { Int(pixGetHeight(pix)) }

  /// From one byte a pixel, rows packed.
  init(gray pixels: [UInt8], width: Int, height: Int) throws {
    guard let pix = pixCreate(CInt(width), CInt(height), 8), let data = pixGetData(pix) else {
      throw DocumentError.recognition("there is no memory for \(width) × \(height) pixels")
    }
    let words = Int(pixGetWpl(pix))
    // Leptonica keeps its pixels in 32-bit words, first pixel in the highest byte.
    for y in 0..<height {
      let row = data + y * words
      for x in stride(from: 0, to: width, by: 4) {
        var word: UInt32 = 0
        for part in 0..<4 {
          word = word << 8 | UInt32(x + part < width ? pixels[y * width + x + part] : 255)
        }
        row[x / 4] = word
      }
    }
    self.pix = pix
  }

  /// Takes over a picture from the decoder.
  init(taking pix: UnsafeMutablePointer<PIX>) { self.pix = pix }

  deinit { destroy(pix) }

  private func destroy(_ pix: UnsafeMutablePointer<PIX>) {
    var pointer: UnsafeMutablePointer<PIX>? = pix
    pixDestroy(&pointer)
  }

  private func replace(_ new: UnsafeMutablePointer<PIX>?) {
    guard let new, new != pix else { return }
    destroy(pix)
    pix = new
  }

  func makeGray() { if pixGetDepth(pix) != 8 || pixGetColormap(pix) != nil { replace(pixConvertTo8(pix, 0)) } }

  func enlarge(_ factor: Float) { replace(pixScale(pix, factor, factor)) }

  func rotate(quarters: Int) { if quarters % 4 != 0 { replace(pixRotateOrth(pix, CInt(quarters % 4))) } }

  /// White letters on a dark ground, as on screens, are turned into dark on light; then shadows are lifted.
  func normalise() {
    var mean: Float = 255
    _ = pixGetAverageMasked(pix, nil, 0, 0, 4, CInt(L_MEAN_ABSVAL), &mean)
    if mean < 100 { replace(pixInvert(nil, pix)) }
    if width >= 100, height >= 100 {
      replace(pixBackgroundNormSimple(pix, nil, nil))
      replace(pixGammaTRC(nil, pix, 1, 30, 230))
    }
  }

  /// Turns the picture straight when it leans measurably; its size stays.
  func straighten() {
    guard width >= 200, height >= 200 else { return }
    guard let bits = pixThresholdToBinary(pix, 150) else { return }
    defer { destroy(bits) }
    var angle: l_float32 = 0
    var confidence: l_float32 = 0
    guard pixFindSkew(bits, &angle, &confidence) == 0, confidence > 3, abs(angle) > 0.15, abs(angle) < 15 else {
      return
    }
    let radians = angle * .pi / 180
    replace(pixRotate(pix, radians, CInt(L_ROTATE_AREA_MAP), CInt(L_BRING_IN_WHITE), 0, 0))
    turned = Double(radians)
  }

  /// Where a box in the straightened picture lies in the picture as it was.
  func original(_ box: Box) -> Box {
    guard turned != 0 else { return box }
    let (cx, cy) = (Double(width) / 2, Double(height) / 2)
    let (sine, cosine) = (sin(-turned), cos(-turned))
    let corners = [(box.x0, box.y0), (box.x1, box.y0), (box.x0, box.y1), (box.x1, box.y1)].map { x, y in
      (cx + (x - cx) * cosine - (y - cy) * sine, cy + (x - cx) * sine + (y - cy) * cosine)
    }
    return Box(
      corners.map(\.0).min()!, corners.map(\.1).min()!, corners.map(\.0).max()!, corners.map(\.1).max()!)
  }

  /// The picture as PNG.
  func png() throws -> Data {
    var bytes: UnsafeMutablePointer<l_uint8>?
    var size = 0
    guard pixWriteMemPng(&bytes, &size, pix, 0) == 0, let bytes else {
      throw DocumentError.recognition("the picture cannot be written")
    }
    defer { lept_free(bytes) }
    return Data(bytes: bytes, count: size)
  }
}
