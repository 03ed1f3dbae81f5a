import CSndFile
import Core
import Foundation
import Spoken

/// Any sound file as 16 kHz mono, a block at a time, so that hours of it need no more memory than seconds.
final class SoundReader {
  private enum Source {
    case samples(PCMDecoder, next: Int, end: Int)
    case codec(CodecFile, Resampler?)
    /// Samples that come as they are decoded elsewhere.
    case stream(PCMDecoder)
    case over
  }

  /// A day's meetings; longer sound would keep the worker from everybody else for hours.
  static let mostSeconds = 12 * 3600
  private static let block = 1 << 16
  private let descriptor: CInt
  private var source: Source
  private var given = 0

  /// `format` for bare samples; otherwise the file says itself what it is.
  init(_ descriptor: CInt, format: PCMFormat?) throws {
    self.descriptor = descriptor
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw SpeechError.unreadable(systemReason()) }
    if let format, status.st_mode & S_IFMT == S_IFSOCK {
      source = .stream(try PCMDecoder(format))
      return
    }
    guard status.st_mode & S_IFMT == S_IFREG else { throw SpeechError.unreadable("it is not a file") }
    let size = Int(status.st_size)
    guard size > 0 else { throw SpeechError.unreadable("it is empty") }
    if let format {
      try SoundReader.check(seconds: size / format.bytesPerSecond)
      source = .samples(try PCMDecoder(format), next: 0, end: size)
    } else if let wave = try WaveFile(fileSize: size, read: { try SoundReader.read(descriptor, $0, $1) }) {
      try SoundReader.check(seconds: wave.length / wave.format.bytesPerSecond)
      source = .samples(try PCMDecoder(wave.format), next: wave.offset, end: wave.offset + wave.length)
    } else {
      let file = try CodecFile(descriptor, size: size)
      // Where a file does not know its length, what comes of it is counted.
      if let frames = file.frames { try SoundReader.check(seconds: frames / file.rate) }
      let resampler = file.rate == Sound.rate ? nil : Resampler(from: file.rate, to: Sound.rate)
      source = .codec(file, resampler)
    }
  }

  /// The next samples; nil at the end.
  func next() throws -> [Float]? {
    let samples = try read()
    given += samples?.count ?? 0
    try SoundReader.check(seconds: given / Sound.rate)
    return samples
  }

  private static func check(seconds: Int) throws {
    guard seconds <= mostSeconds else {
      throw SpeechError.tooMuch("it is longer than \(mostSeconds / 3600) hours")
    }
  }

  private func read() throws -> [Float]? {
    switch source {
    case .over: return nil
    case .stream(var decoder):
      var bytes = [UInt8](repeating: 0, count: SoundReader.block)
      let got = Foundation.read(descriptor, &bytes, bytes.count)
      if got < 0, errno == EINTR { return [] }
      let samples = got > 0 ? decoder.decode(bytes[..<got]) : decoder.finish()
      source = got > 0 ? .stream(decoder) : .over
      return samples
    case .samples(var decoder, let place, let end):
      let bytes = try SoundReader.read(descriptor, place, min(SoundReader.block, end - place))
      guard !bytes.isEmpty else {
        source = .over
        return decoder.finish()
      }
      let samples = decoder.decode(bytes)
      source = .samples(decoder, next: place + bytes.count, end: end)
      return samples
    case .codec(let file, var resampler):
      guard let samples = file.next() else {
        source = .over
        return resampler?.finish() ?? []
      }
      let plain = resampler?.feed(samples) ?? samples
      source = .codec(file, resampler)
      return plain
    }
  }

  private static func read(_ descriptor: CInt, _ place: Int, _ count: Int) throws -> [UInt8] {
    guard count > 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: count)
    let got = bytes.withUnsafeMutableBytes { Descriptor.read(descriptor, at: place, into: $0) }
    guard got >= 0 else { throw SpeechError.unreadable(systemReason()) }
    return got == count ? bytes : Array(bytes[..<got])
  }
}

/// FLAC, Ogg, MP3 and the rarer kinds of WAV, through libsndfile.
private final class CodecFile {
  private(set) var rate = 0
  /// As the file says; nil where it does not know.
  private(set) var frames: Int?
  private var channels = 0
  private let descriptor: CInt
  private let size: Int
  private var place = 0
  private var file: OpaquePointer?

  init(_ descriptor: CInt, size: Int) throws {
    self.descriptor = descriptor
    self.size = size
    var information = SF_INFO()
    var calls = SF_VIRTUAL_IO(
      get_filelen: { sf_count_t(CodecFile.at($0).size) },
      seek: { offset, whence, user in CodecFile.at(user).seek(Int(offset), whence) },
      read: { output, count, user in CodecFile.at(user).read(output, Int(count)) },
      write: { _, _, _ in 0 },
      tell: { sf_count_t(CodecFile.at($0).place) })
    let opened = sf_open_virtual(&calls, CInt(SFM_READ), &information, Unmanaged.passUnretained(self).toOpaque())
    guard let opened else {
      let reason = String(cString: sf_strerror(nil)).trimmingCharacters(in: .whitespacesAndNewlines)
      throw SpeechError.unreadable(reason.prefix(1).lowercased() + reason.dropFirst().trimmingSuffix("."))
    }
    file = opened
    rate = Int(information.samplerate)
    frames = information.frames > 0 && information.frames < .max ? Int(information.frames) : nil
    channels = Int(information.channels)
    try PCMFormat(rate: rate, channels: channels, encoding: .float32).validate()
  }

  deinit { if let file { sf_close(file) } }

  /// Mono at the file's own rate; nil at the end, which is also where a damaged file stops.
  func next() -> [Float]? {
    let frames = max(1, (1 << 14) / channels)
    var block = [Float](repeating: 0, count: frames * channels)
    let got = Int(sf_readf_float(file, &block, sf_count_t(frames)))
    guard got > 0 else { return nil }
    return (0..<got).map { frame in
      let sum = block[(frame * channels)..<((frame + 1) * channels)].reduce(0, +) / Float(channels)
      return sum.isFinite ? min(max(sum, -1), 1) : 0
    }
  }

  private func seek(_ offset: Int, _ whence: CInt) -> sf_count_t {
    let base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? place : size
    let (target, overflow) = base.addingReportingOverflow(offset)
    guard !overflow, (0...size).contains(target) else { return -1 }
    place = target
    return sf_count_t(place)
  }

  private func read(_ output: UnsafeMutableRawPointer?, _ count: Int) -> sf_count_t {
    let got = pread(descriptor, output, max(0, min(count, size - place)), off_t(place))
    guard got > 0 else { return 0 }
    place += got
    return sf_count_t(got)
  }

  private static func at(_ pointer: UnsafeMutableRawPointer?) -> CodecFile {
    Unmanaged<CodecFile>.fromOpaque(pointer!).takeUnretainedValue()
  }
}

extension Substring {
  fileprivate func trimmingSuffix(_ suffix: String) -> Substring { hasSuffix(suffix) ? dropLast(suffix.count) : self }
}
