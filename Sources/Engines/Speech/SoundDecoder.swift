import CFFmpeg
import Core
import Foundation
import Spoken
package import Workers

/// Decodes what only FFmpeg's libraries read, in a sealed worker of its own: they are large, and many strangers wrote in them.
package final class SoundDecoder: Engine {
  /// What one second of sound may take before the file is given up.
  private static let patience = Duration.seconds(60)
  private static let mostBytes = 512 << 20

  package init() {}

  /// Loads the libraries. A sealed process can load none any more, so this comes before it seals itself.
  package static func prepare() { _ = libera_ffmpeg_load() }

  package func handle(_ call: Call, _ reply: some ReplySink) throws {
    guard call.operation == "decode" else { throw SpeechError.unknownOperation(call.operation) }
    guard call.files.count == 2 else { throw SpeechError.unreadable("no file came with the request") }
    let request = try call.decode(DecodeRequest.self)
    if let reason = libera_ffmpeg_load() { throw SpeechError.noDecoder(String(cString: reason)) }
    func bounded<Result>(_ work: () throws -> Result) throws -> Result {
      try call.cancelled.bounded(Self.patience, bytes: Self.mostBytes) {
        SpeechError.unreadable("a second of it takes too long or too much memory")
      } _: {
        try work()
      }
    }
    let file = try bounded { try FFmpegFile(call.files[0], request.container, cancelled: call.cancelled) }
    var report = DecodeReport()
    while let samples = try bounded({ try file.second() }) {
      if call.cancelled.isSet { throw CancellationError() }
      report.samples += samples.count
      guard report.samples <= SoundReader.mostSeconds * Sound.rate else {
        throw SpeechError.tooMuch("it is longer than \(SoundReader.mostSeconds / 3600) hours")
      }
      try Self.send(samples, to: call.files[1])
    }
    if call.cancelled.isSet { throw CancellationError() }
    report.damaged = file.damaged
    guard report.samples > 0 else { throw SpeechError.unreadable("nothing in it could be decoded") }
    try reply.event(report)
  }

  private static func send(_ samples: [Float], to stream: CInt) throws {
    // What was resampled may reach a little beyond the ends.
    let shorts = samples.map { Int16((min(max($0, -1), 1) * 32_767).rounded()).littleEndian }
    // Where nobody hears it any more, what went wrong there is told there.
    guard shorts.withUnsafeBytes({ Descriptor.send($0, to: stream, noSignal) }) else { throw CancellationError() }
  }

  #if os(Linux)
    private static let noSignal = CInt(MSG_NOSIGNAL)
  #else
    private static let noSignal: CInt = 0
  #endif
}

/// An open file as 16 kHz mono.
private final class FFmpegFile {
  private let descriptor: CInt
  private let size: Int
  private let cancelled: CancelFlag
  private var place = 0
  private var sound: OpaquePointer?
  private var rate = Sound.rate
  private var resampler: Resampler?
  private var isOver = false

  var damaged: Int { Int(libera_sound_damaged(sound)) }

  init(_ descriptor: CInt, _ container: SoundContainer, cancelled: CancelFlag) throws {
    guard let bytes = Descriptor.fileBytes(descriptor) else { throw SpeechError.unreadable("it is not a file") }
    (self.descriptor, size, self.cancelled) = (descriptor, bytes, cancelled)
    var source = libera_sound_source(
      context: Unmanaged.passUnretained(self).toOpaque(),
      read: { FFmpegFile.at($0).read($1, $2) }, seek: { FFmpegFile.at($0).seek($1, $2) })
    var problem = [CChar](repeating: 0, count: 300)
    sound = libera_sound_open(container.rawValue, &source, &problem, problem.count)
    guard sound != nil else {
      if cancelled.isSet { throw CancellationError() }
      let why = String(decoding: problem.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      throw SpeechError.unreadable(why.prefix(1).lowercased() + why.dropFirst())
    }
  }

  deinit { libera_sound_close(sound) }

  /// About a second of sound; nil at the end.
  func second() throws -> [Float]? {
    guard !isOver else { return nil }
    var samples: [Float] = []
    while samples.count < Sound.rate, !cancelled.isSet {
      var found: UnsafePointer<Float>?
      var told: CInt = 0
      let count = libera_sound_next(sound, &found, &told)
      guard count > 0, let found else {
        isOver = true
        samples += resampler?.finish() ?? []
        break
      }
      if Int(told) != rate {
        samples += resampler?.finish() ?? []
        rate = Int(told)
        resampler = rate == Sound.rate ? nil : Resampler(from: rate, to: Sound.rate)
      }
      let block = Array(UnsafeBufferPointer(start: found, count: Int(count)))
      samples += resampler?.feed(block) ?? block
    }
    return samples
  }

  private func read(_ buffer: UnsafeMutablePointer<UInt8>?, _ count: CInt) -> CInt {
    guard !cancelled.isSet, count > 0 else { return -1 }
    let got = pread(descriptor, buffer, Int(count), off_t(place))
    guard got > 0 else { return CInt(got) }
    place += got
    return CInt(got)
  }

  private func seek(_ offset: Int64, _ whence: CInt) -> Int64 {
    if whence == CInt(libera_seek_size) { return Int64(size) }
    let base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? Int64(place) : Int64(size)
    let (target, overflow) = base.addingReportingOverflow(offset)
    guard !overflow, (0...Int64(size)).contains(target) else { return -1 }
    place = Int(target)
    return target
  }

  private static func at(_ pointer: UnsafeMutableRawPointer?) -> FFmpegFile {
    Unmanaged<FFmpegFile>.fromOpaque(pointer!).takeUnretainedValue()
  }
}
