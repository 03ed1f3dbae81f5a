/// Files whose sound only FFmpeg's libraries read; all others say nothing here and are read without them.
package enum SoundContainer: String, Codable, Sendable, CaseIterable {
  // By the names that FFmpeg has for them.
  /// M4A, MP4, QuickTime, 3GP.
  case mov
  /// WebM and Matroska.
  case matroska
  case aac
  case amr

  /// Told by a file's first bytes.
  package init?(_ head: some Collection<UInt8>) {
    let head = Array(head.prefix(12))
    guard head.count >= 8 else { return nil }
    if head.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) {
      self = .matroska
    } else if head.starts(with: Array("#!AMR".utf8)) {
      self = .amr
    } else if ["ftyp", "moov", "mdat", "free", "wide", "skip"].contains(String(decoding: head[4..<8], as: UTF8.self)) {
      self = .mov
    } else if head[0] == 0xFF, head[1] & 0xF6 == 0xF0 {
      // AAC in frames of its own (ADTS). MPEG's layers 1 to 3 say so in the two bits that are 0 here.
      self = .aac
    } else {
      return nil
    }
  }
}

/// Operation "decode" of the sound worker: a file and a stream are handed over; into the stream go the samples of the file's
/// first sound, as `PCMFormat.plain`. Answers with `DecodeReport`.
package struct DecodeRequest: Codable, Sendable {
  package var container: SoundContainer
  package init(container: SoundContainer) { self.container = container }
}

package struct DecodeReport: Codable, Sendable {
  package var samples = 0
  /// Pieces of the file that made no sense.
  package var damaged = 0
  package init() {}
}
