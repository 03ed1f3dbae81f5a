#if os(Linux)
  import CALSA
  import Core
  import Foundation
  import Spoken
  import Workers

  /// The system's microphone through ALSA: 16 kHz, one channel, converted by ALSA where the device does otherwise.
  final class Microphone: SoundSource, Sendable {
    // Opened once; read and closed on `queue` alone.
    private nonisolated(unsafe) let device: OpaquePointer
    private let queue = DispatchQueue(label: "libera.microphone")
    private let stopped = CancelFlag()
    private static let frames = 800

    /// - Parameter definition: What names devices, in ALSA's words; nil: the configuration of the system and the person.
    init(_ name: String = "default", definedBy definition: String? = nil) throws {
      libera_alsa_quiet()
      var opened: OpaquePointer?
      var code = libera_alsa_open(&opened, name, definition)
      guard code == 0, let opened else { throw MicrophoneError.none(Microphone.reason(code)) }
      code = snd_pcm_set_params(
        opened, SND_PCM_FORMAT_S16_LE, SND_PCM_ACCESS_RW_INTERLEAVED, 1, UInt32(Sound.rate), 1, 200_000)
      guard code == 0 else {
        snd_pcm_close(opened)
        throw MicrophoneError.unusable(Microphone.reason(code))
      }
      device = opened
    }
    deinit { snd_pcm_close(device) }

    func stop() { stopped.set() }

    func next() async throws -> Data? {
      try await withCheckedThrowingContinuation { continuation in
        queue.async { continuation.resume(with: Result { try self.read() }) }
      }
    }

    private func read() throws -> Data? {
      guard !stopped.isSet else { return nil }
      var samples = [Int16](repeating: 0, count: Microphone.frames)
      var count = snd_pcm_readi(device, &samples, snd_pcm_uframes_t(samples.count))
      if count < 0 {
        // An overrun: a little sound is lost, and it goes on.
        let code = snd_pcm_recover(device, CInt(count), 1)
        guard code == 0 else { throw MicrophoneError.unusable(Microphone.reason(code)) }
        count = 0
      }
      return samples[..<count].withUnsafeBytes { Data($0) }
    }

    private static func reason(_ code: CInt) -> String { String(cString: snd_strerror(code)) }
  }
#else
  import Foundation

  /// Apple's microphone belongs to the app.
  final class Microphone: SoundSource, Sendable {
    init() throws { throw MicrophoneError.none("this system has no ALSA") }
    func stop() {}
    func next() async throws -> Data? { nil }
  }
#endif
