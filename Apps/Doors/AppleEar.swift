public import LiberaScreens

#if canImport(Speech)
  import AVFAudio
  import Foundation
  import LiberaKit
  import Speech

  /// The system's recognition of speech, through SpeechAnalyzer, which works on the device. Languages are only used where the system
  /// has them already: nothing is fetched.
  public struct AppleEar: SystemEar {
    public init() {}

    public func hears(_ language: String) async -> Bool {
      guard #available(iOS 26, macOS 26, *), SpeechTranscriber.isAvailable else { return false }
      return await Self.installed(language) != nil
    }

    public func open(_ language: String) async throws -> OpenEar {
      guard #available(iOS 26, macOS 26, *), let locale = await Self.installed(language) else {
        throw LiberaError(
          code: "system_ear_missing", message: "The system does not hear this language on this device.",
          remedy: "Add it in the system's settings, under dictation, or install a model for speech.")
      }
      let transcriber = SpeechTranscriber(
        locale: locale, transcriptionOptions: [], reportingOptions: [.volatileResults], attributeOptions: [])
      guard let format = await SpeechAnalyzer.bestAvailableAudioFormat(compatibleWith: [transcriber]) else {
        throw LiberaError(code: "system_ear_failed", message: "The system's recognition of speech takes no sound.")
      }
      let analyzer = SpeechAnalyzer(modules: [transcriber])
      let (inputs, feed) = AsyncStream.makeStream(of: AnalyzerInput.self)
      let (heard, told) = AsyncThrowingStream.makeStream(of: OpenEar.Heard.self)
      try await analyzer.start(inputSequence: inputs)
      let listening = Task {
        do {
          for try await result in transcriber.results {
            told.yield(OpenEar.Heard(String(result.text.characters), isSettled: result.isFinal))
          }
          told.finish()
        } catch { told.finish(throwing: error) }
      }
      told.onTermination = { end in
        guard case .cancelled = end else { return }
        feed.finish()
        listening.cancel()
        Task { await analyzer.cancelAndFinishNow() }
      }
      let take = Taker(format: format)
      return OpenEar(rate: Int(format.sampleRate), heard: heard) { samples in
        if let buffer = take.buffer(samples) { feed.yield(AnalyzerInput(buffer: buffer)) }
      } finish: {
        feed.finish()
        try await analyzer.finalizeAndFinishThroughEndOfInput()
      }
    }

    @available(iOS 26, macOS 26, *)
    private static func installed(_ language: String) async -> Locale? {
      let all = await SpeechTranscriber.installedLocales.filter { $0.language.languageCode?.identifier == language }
      return all.first { $0.region == Locale.current.region } ?? all.first
    }
  }

  /// Makes the system's buffers of samples.
  private struct Taker: @unchecked Sendable {
    /// Never changed after it was made.
    let format: AVAudioFormat

    func buffer(_ samples: [Float]) -> AVAudioPCMBuffer? {
      guard !samples.isEmpty,
        let buffer = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: AVAudioFrameCount(samples.count))
      else { return nil }
      buffer.frameLength = AVAudioFrameCount(samples.count)
      if let floats = buffer.floatChannelData?[0] {
        for (place, sample) in samples.enumerated() { floats[place] = sample }
      } else if let whole = buffer.int16ChannelData?[0] {
        for (place, sample) in samples.enumerated() {
          whole[place] = Int16((max(-1, min(1, sample)) * 32_767).rounded())
        }
      } else {
        return nil
      }
      return buffer
    }
  }
#endif
