import Foundation

/// What the embedding pack makes of each text, computed by Training/embed.py. Texts that have none yet are remembered, and
/// listed for it.
final class Vectors {
  private var known: [String: [Float]] = [:]
  private(set) var missing: [String] = []

  init(_ file: URL?) throws {
    guard let file, FileManager.default.fileExists(atPath: file.path) else { return }
    let data = try Data(contentsOf: file)
    var at = data.startIndex
    // Records: length of the text, the text, 384 little-endian floats.
    while at + 4 <= data.endIndex {
      let length = Int(data[at..<at + 4].withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) })
      let end = at + 4 + length + 4 * 384
      guard end <= data.endIndex else { break }
      let text = String(decoding: data[(at + 4)..<(at + 4 + length)], as: UTF8.self)
      known[text] = data[(at + 4 + length)..<end].withUnsafeBytes { raw in
        (0..<384).map { raw.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
      }
      at = end
    }
  }

  subscript(_ text: String) -> [Float]? {
    if let vector = known[text] { return vector }
    missing.append(text)
    return nil
  }
}
