import Foundation
import Testing

@testable import Spoken

private func tone(_ hertz: Double, seconds: Double, rate: Int) -> [Float] {
  (0..<Int(seconds * Double(rate))).map { Float(sin(2 * .pi * hertz * Double($0) / Double(rate))) * 0.5 }
}

private func power(_ samples: ArraySlice<Float>) -> Double {
  samples.reduce(0) { $0 + Double($1 * $1) } / Double(max(1, samples.count))
}

@Suite("Sound formats") struct SoundTests {
  @Test(
    "Every encoding gives the value that was written",
    arguments: [
      (PCMFormat.Encoding.unsigned8, [UInt8(192)]), (.signed16, [0, 0x40]), (.signed24, [0, 0, 0x40]),
      (.signed32, [0, 0, 0, 0x40]), (.float32, [0, 0, 0, 0x3F]), (.float64, [0, 0, 0, 0, 0, 0, 0xE0, 0x3F]),
      (.muLaw, [0x8F]), (.aLaw, [0xA5 ^ 0x00]),
    ])
  func encodings(_ encoding: PCMFormat.Encoding, _ bytes: [UInt8]) throws {
    var decoder = try PCMDecoder(PCMFormat(rate: 16_000, channels: 1, encoding: encoding))
    let value = try #require(decoder.decode(bytes).first)
    #expect(abs(value - 0.5) < 0.02, "\(value)")
  }

  @Test("Negative and extreme values stay within bounds, and what is no number becomes silence") func extremes() throws
  {
    var shorts = try PCMDecoder(.plain)
    #expect(shorts.decode([0, 0x80, 0xFF, 0x7F])[0] == -1)
    var deep = try PCMDecoder(PCMFormat(rate: 16_000, channels: 1, encoding: .signed24))
    #expect(deep.decode([0, 0, 0x80]) == [-1])
    var floats = try PCMDecoder(PCMFormat(rate: 16_000, channels: 1, encoding: .float32))
    let wild: [Float] = [.nan, .infinity, 7, -1e30]
    #expect(floats.decode(wild.flatMap { withUnsafeBytes(of: $0) { Array($0) } }) == [0, 0, 1, -1])
    var law = try PCMDecoder(PCMFormat(rate: 16_000, channels: 1, encoding: .muLaw))
    #expect(abs(law.decode([0x0F])[0] + 0.5) < 0.02)
  }

  @Test("Channels are mixed, and pieces of any size give the same samples as the whole") func pieces() throws {
    let bytes = (0..<4000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let format = PCMFormat(rate: 44_100, channels: 2, encoding: .signed16)
    var whole = try PCMDecoder(format)
    let expected = whole.decode(bytes) + whole.finish()
    for size in [1, 3, 17, 1000] {
      var parts = try PCMDecoder(format)
      var samples: [Float] = []
      for start in stride(from: 0, to: bytes.count, by: size) {
        samples += parts.decode(bytes[start..<min(start + size, bytes.count)])
      }
      #expect(samples + parts.finish() == expected)
    }
    var stereo = try PCMDecoder(PCMFormat(rate: 16_000, channels: 2, encoding: .unsigned8))
    #expect(stereo.decode([192, 64, 255, 255])[0] == 0)
  }

  @Test(
    "Resampling keeps speech at its level, time and pitch",
    arguments: [8000, 11_025, 22_050, 32_000, 44_100, 48_000, 96_000])
  func passband(_ rate: Int) {
    var resampler = Resampler(from: rate, to: 16_000)
    let output = resampler.feed(tone(1000, seconds: 0.5, rate: rate)) + resampler.finish()
    #expect(abs(output.count - 8000) <= 1)
    let middle = output[1000..<7000]
    #expect(abs(power(middle) / 0.125 - 1) < 0.01)
    // Against the ideal tone, phase included.
    let ideal = tone(1000, seconds: 0.5, rate: 16_000)[1000..<7000]
    let error = power(zip(middle, ideal).map { $0 - $1 }[...])
    #expect(error < 1e-6, "\(error)")
  }

  @Test("What lies above the new half rate is removed instead of folding back", arguments: [44_100, 48_000])
  func stopband(_ rate: Int) {
    var resampler = Resampler(from: rate, to: 16_000)
    let output = resampler.feed(tone(9500, seconds: 0.5, rate: rate)) + resampler.finish()
    #expect(power(output[1000..<7000]) < 1e-7)
  }

  @Test("Absurd rates and channel counts are refused") func absurd() {
    #expect(throws: SpeechError.self) { try PCMDecoder(PCMFormat(rate: 0, channels: 1, encoding: .signed16)) }
    #expect(throws: SpeechError.self) { try PCMDecoder(PCMFormat(rate: 16_000, channels: 0, encoding: .signed16)) }
    #expect(throws: SpeechError.self) { try PCMDecoder(PCMFormat(rate: 1 << 30, channels: 1, encoding: .signed16)) }
  }
}

@Suite("WAV files") struct WaveFileTests {
  private func open(_ bytes: [UInt8]) throws -> WaveFile? {
    try WaveFile(fileSize: bytes.count) { place, count in
      Array(bytes[min(place, bytes.count)..<min(place + count, bytes.count)])
    }
  }

  @Test("The format and the place of the samples are found behind other chunks") func found() throws {
    let bytes = wave(
      tag: 1, channels: 2, rate: 8000, bits: 24, samples: [1, 2, 3, 4, 5, 6], extra: ["LIST": [9, 9, 9]])
    let file = try #require(try open(bytes))
    #expect(file.format == PCMFormat(rate: 8000, channels: 2, encoding: .signed24))
    #expect(Array(bytes[file.offset..<(file.offset + file.length)]) == [1, 2, 3, 4, 5, 6])
  }

  @Test("A recording that was cut off, or whose length was never written, gives what is there") func truncated() throws
  {
    var bytes = wave(samples: [1, 2, 3, 4])
    bytes.removeLast(2)
    #expect(try open(bytes)?.length == 2)
    let place = bytes.count - 6
    for length: [UInt8] in [[0, 0, 0, 0], [255, 255, 255, 255]] {
      bytes.replaceSubrange(place..<(place + 4), with: length)
      #expect(try open(bytes)?.length == 2)
    }
  }

  @Test("A header that never comes to its samples is given up after little of it, however long the file")
  func endless() throws {
    struct ReadOn: Error {}
    let head = Array("RIFF\u{1}\u{1}\u{1}\u{1}WAVE".utf8)
    let empty = Array("junk".utf8) + [0, 0, 0, 0]
    var reads = 0
    #expect(throws: SpeechError.self) {
      try WaveFile(fileSize: 1 << 40) { place, _ in
        reads += 1
        guard reads < 100_000 else { throw ReadOn() }
        return place == 0 ? head : empty
      }
    }
    let many = head + Array(repeating: empty, count: 900).joined()
    #expect(try open(many + wave(samples: [1, 2]).dropFirst(12))?.length == 2)
  }

  @Test("Anything else is no WAV file or says what is wrong with it") func malformed() throws {
    #expect(try open([]) == nil)
    #expect(try open(Array("OggS and so on".utf8)) == nil)
    #expect(throws: SpeechError.self) { try open(Array(wave(samples: [1, 2])[..<20])) }
    #expect(throws: SpeechError.self) { try open(wave(channels: 0, samples: [1])) }
    #expect(throws: SpeechError.self) { try open(wave(rate: 0, samples: [1])) }
    // A codec we leave to the library.
    #expect(try open(wave(tag: 0x11, bits: 4, samples: [1])) == nil)
  }

  @Test("No malformed file makes reading fail otherwise than with an error") func fuzz() {
    var random = SystemRandomNumberGenerator()
    let good = wave(samples: Array(repeating: 7, count: 64), extra: ["LIST": [1, 2]])
    for _ in 0..<5000 {
      var bytes = good
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        bytes[Int.random(in: 4..<60, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
      do {
        guard let file = try open(bytes) else { continue }
        #expect(file.offset + file.length <= bytes.count && file.length >= 0)
      } catch { #expect(error is SpeechError) }
    }
  }
}

func wave(
  tag: UInt16 = 1, channels: UInt16 = 1, rate: UInt32 = 16_000, bits: UInt16 = 16, samples: [UInt8],
  extra: [String: [UInt8]] = [:]
) -> [UInt8] {
  func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }
  func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
    Array(name.utf8) + little(UInt32(body.count)) + body + (body.count % 2 == 1 ? [0] : [])
  }
  let align = channels * bits / 8
  let format =
    little(tag) + little(channels) + little(rate) + little(rate * UInt32(align)) + little(align) + little(bits)
  let body =
    Array("WAVE".utf8) + extra.flatMap { chunk($0.key, $0.value) } + chunk("fmt ", format) + chunk("data", samples)
  return Array("RIFF".utf8) + little(UInt32(body.count)) + body
}
