import Foundation

/// Where the samples lie in a WAV file and how they are written. Reads the header only; a file whose header promises more
/// than there is gives what there is, as an interrupted recording does.
package struct WaveFile: Sendable, Equatable {
  package var format: PCMFormat
  package var offset: Int
  package var length: Int

  /// More chunks before the samples than any program writes: each of them is a read.
  private static let mostChunks = 1000

  /// nil when it is not a WAV file, or one whose samples are compressed in a way only a codec can read.
  package init?(fileSize: Int, read: (_ offset: Int, _ count: Int) throws -> [UInt8]) throws {
    let head = try read(0, 12)
    guard head.count == 12, head[0..<4].elementsEqual("RIFF".utf8) || head[0..<4].elementsEqual("RF64".utf8),
      head[8..<12].elementsEqual("WAVE".utf8)
    else { return nil }
    var format: PCMFormat?
    var (place, chunks) = (12, 0)
    while place + 8 <= fileSize {
      chunks += 1
      guard chunks <= WaveFile.mostChunks else { throw SpeechError.unreadable("its header has no end") }
      let chunk = try read(place, 8)
      guard chunk.count == 8 else { break }
      let length = Int(chunk.little32(4))
      if chunk[0..<4].elementsEqual("fmt ".utf8) {
        guard (16...4096).contains(length) else { throw SpeechError.unreadable("its format chunk is malformed") }
        let body = try read(place + 8, length)
        guard body.count == length else { throw SpeechError.unreadable("it ends inside its header") }
        guard let encoding = WaveFile.encoding(of: body) else { return nil }
        let found = PCMFormat(rate: Int(body.little32(4)), channels: Int(body.little16(2)), encoding: encoding)
        try found.validate()
        format = found
      } else if chunk[0..<4].elementsEqual("data".utf8) {
        guard let format else { throw SpeechError.unreadable("its samples come before their format") }
        // 0 and the largest number are what programs write that do not know the length yet.
        let there = fileSize - place - 8
        self.format = format
        offset = place + 8
        self.length = length == 0 || length >= 0xFFFF_FF00 ? there : min(length, there)
        return
      }
      place += 8 + length + length & 1
    }
    throw SpeechError.unreadable("it holds no samples")
  }

  private static func encoding(of body: [UInt8]) -> PCMFormat.Encoding? {
    var tag = Int(body.little16(0))
    let bits = Int(body.little16(14))
    // The extensible form keeps the real tag in the first two bytes of its identifier.
    if tag == 0xFFFE { tag = body.count >= 26 ? Int(body.little16(24)) : 0 }
    return switch (tag, bits) {
    case (1, 8): .unsigned8
    case (1, 16): .signed16
    case (1, 24): .signed24
    case (1, 32): .signed32
    case (3, 32): .float32
    case (3, 64): .float64
    case (6, 8): .aLaw
    case (7, 8): .muLaw
    default: nil
    }
  }
}

extension [UInt8] {
  fileprivate func little16(_ place: Int) -> UInt16 { UInt16(self[place]) | UInt16(self[place + 1]) << 8 }
  fileprivate func little32(_ place: Int) -> UInt32 {
    UInt32(little16(place)) | UInt32(little16(place + 2)) << 16
  }
}
