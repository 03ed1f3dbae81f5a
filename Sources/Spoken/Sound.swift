/// The one form everything works in: 16 kHz, mono, float.
package enum Sound {
  package static let rate = 16_000
  /// What voice activity is judged by: 32 ms.
  package static let frame = 512
  package static func seconds(_ samples: Int) -> Double { Double(samples) / Double(rate) }
  package static func frames(milliseconds: Int) -> Int { max(1, (milliseconds * rate / 1000 + frame / 2) / frame) }
}

/// How raw samples are written.
package struct PCMFormat: Sendable, Equatable, Codable {
  package enum Encoding: String, Sendable, Codable {
    case unsigned8 = "u8"
    case signed16 = "s16le"
    case signed24 = "s24le"
    case signed32 = "s32le"
    case float32 = "f32le"
    case float64 = "f64le"
    case muLaw = "ulaw"
    case aLaw = "alaw"

    var bytes: Int {
      switch self {
      case .unsigned8, .muLaw, .aLaw: 1
      case .signed16: 2
      case .signed24: 3
      case .signed32, .float32: 4
      case .float64: 8
      }
    }
  }
  package var rate: Int
  package var channels: Int
  package var encoding: Encoding

  /// What the page sends and `arecord -f S16_LE -r 16000` writes.
  package static let plain = PCMFormat(rate: Sound.rate, channels: 1, encoding: .signed16)

  package init(rate: Int, channels: Int, encoding: Encoding) {
    self.rate = rate
    self.channels = channels
    self.encoding = encoding
  }

  var frameBytes: Int { channels * encoding.bytes }
  /// Of a format that was validated.
  package var bytesPerSecond: Int { max(1, rate * frameBytes) }

  package func validate() throws(SpeechError) {
    guard (1000...768_000).contains(rate) else { throw .unsupported("\(rate) samples per second") }
    guard (1...64).contains(channels) else { throw .unsupported("\(channels) channels") }
  }
}

/// Raw bytes in, 16 kHz mono out, in pieces of any size.
package struct PCMDecoder: Sendable {
  private let format: PCMFormat
  private var rest: [UInt8] = []
  private var resampler: Resampler?

  package init(_ format: PCMFormat) throws(SpeechError) {
    try format.validate()
    self.format = format
    if format.rate != Sound.rate { resampler = Resampler(from: format.rate, to: Sound.rate) }
  }

  package mutating func decode(_ bytes: some Collection<UInt8>) -> [Float] {
    rest.append(contentsOf: bytes)
    let frames = rest.count / format.frameBytes
    guard frames > 0 else { return [] }
    let used = frames * format.frameBytes
    let mono = rest.withUnsafeBytes { mix($0, frames: frames) }
    rest.removeFirst(used)
    return resampler?.feed(mono) ?? mono
  }

  /// What the resampler still holds; a sample cut in half is dropped.
  package mutating func finish() -> [Float] {
    rest = []
    return resampler?.finish() ?? []
  }

  private func mix(_ bytes: UnsafeRawBufferPointer, frames: Int) -> [Float] {
    let width = format.encoding.bytes
    let share = 1 / Float(format.channels)
    return (0..<frames).map { frame in
      var sum: Float = 0
      for channel in 0..<format.channels { sum += value(bytes, at: (frame * format.channels + channel) * width) }
      let mean = sum * share
      return mean.isFinite ? min(max(mean, -1), 1) : 0
    }
  }

  private func value(_ bytes: UnsafeRawBufferPointer, at place: Int) -> Float {
    func integer<Number: FixedWidthInteger>(_ type: Number.Type) -> Number {
      Number(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: type))
    }
    switch format.encoding {
    case .unsigned8: return (Float(bytes[place]) - 128) / 128
    case .signed16: return Float(integer(Int16.self)) / 32_768
    case .signed24:
      let low = Int32(bytes[place]) | Int32(bytes[place + 1]) << 8
      return Float(low | Int32(Int8(bitPattern: bytes[place + 2])) << 16) / 8_388_608
    case .signed32: return Float(integer(Int32.self)) / 2_147_483_648
    case .float32: return Float(bitPattern: integer(UInt32.self))
    case .float64:
      let value = Double(bitPattern: integer(UInt64.self))
      return value.isFinite && abs(value) < 1e6 ? Float(value) : 0
    case .muLaw: return PCMDecoder.muLaw(bytes[place])
    case .aLaw: return PCMDecoder.aLaw(bytes[place])
    }
  }

  private static func muLaw(_ byte: UInt8) -> Float {
    let inverted = ~byte
    let exponent = Int32(inverted >> 4 & 7)
    let magnitude = ((Int32(inverted & 15) << 3) + 132) << exponent - 132
    return Float(inverted & 0x80 == 0 ? magnitude : -magnitude) / 32_768
  }

  private static func aLaw(_ byte: UInt8) -> Float {
    let even = byte ^ 0x55
    let exponent = Int32(even >> 4 & 7)
    let mantissa = Int32(even & 15) << 4
    let magnitude = exponent == 0 ? mantissa + 8 : (mantissa + 264) << (exponent - 1)
    return Float(even & 0x80 != 0 ? magnitude : -magnitude) / 32_768
  }
}
