#if os(Linux)
  import Foundation
  import LiberaDoors
  import Synchronization
  import Testing

  @testable import AVFAudio
  @testable import LiberaKit
  @testable import LiberaScreens
  @testable import libera

  /// One table of cases for both sides of the door to the microphone: ALSA as the program opens it on Linux, and Apple's adapter on our
  /// declarations of AVFAudio.
  enum EarSide: String, CaseIterable, Sendable {
    case alsa, avAudio

    /// A microphone in front of which these samples are played, 16,000 a second.
    func hearing(_ samples: [Int16]) throws -> any LiberaScreens.Microphone {
      switch self {
      case .avAudio:
        let floats = samples.map { Float($0) / 32_767 }
        SoundRoom.shared.state.withLock { ($0.sound, $0.rate) = (floats, 16_000) }
        return AppleMicrophone()
      case .alsa:
        let data = samples.reduce(into: Data()) { data, sample in
          withUnsafeBytes(of: sample.littleEndian) { data.append(contentsOf: $0) }
        }
        try data.write(to: AlsaDevices.sound)
        return AlsaEar(device: "played")
      }
    }

    /// One that the person, or the device, does not give.
    func missing() -> any LiberaScreens.Microphone {
      switch self {
      case .avAudio:
        SoundRoom.shared.state.withLock { $0.mayRecord = false }
        return AppleMicrophone()
      case .alsa: return AlsaEar(device: "missing")
      }
    }
  }

  /// ALSA's own devices: one that plays a file as what was heard, and silence behind it, and one that is not there.
  private enum AlsaDevices {
    static let sound = FileManager.default.temporaryDirectory.appending(path: "libera-ear-\(getpid()).raw")
    static let definition = """
      pcm.played { type file slave.pcm { type null } file "/dev/null" infile "\(sound.path)" format "raw" }
      pcm.missing { type hw card 31 }
      """
  }

  /// The door over the program's own source of sound.
  private struct AlsaEar: LiberaScreens.Microphone {
    var device: String

    func open() async throws -> OpenMicrophone {
      let source = try libera.Microphone(device, definedBy: AlsaDevices.definition)
      let (events, continuation) = AsyncStream.makeStream(of: OpenMicrophone.Event.self)
      continuation.onTermination = { _ in source.stop() }
      Task {
        do { while let piece = try await source.next() { continuation.yield(.sound(piece)) } } catch {
          continuation.yield(.interrupted)
        }
        continuation.finish()
      }
      return OpenMicrophone(rate: 16_000, events: events)
    }
  }

  extension DoorTests {
    private func heard(_ microphone: any LiberaScreens.Microphone, bytes: Int) async throws -> Data {
      let open = try await microphone.open()
      #expect(open.rate == 16_000)
      var sound = Data()
      for await event in open.events {
        guard case .sound(let more) = event else { break }
        #expect(more.count.isMultiple(of: 2), "whole samples")
        sound += more
        if sound.count >= bytes { break }
      }
      return sound.prefix(bytes)
    }

    @Test(
      "Both sides give every sample in its order, and the device back to whoever opens it next",
      arguments: EarSide.allCases)
    func everySample(side: EarSide) async throws {
      let samples = (0..<16_000).map { Int16((sin(Double($0) / 20) * 30_000).rounded()) } + [32_767, -32_767, 0, 1]
      let microphone = try side.hearing(samples)
      for _ in 0..<2 {
        let sound = try await heard(microphone, bytes: samples.count * 2)
        let found = stride(from: 0, to: sound.count, by: 2).map {
          Int16(truncatingIfNeeded: Int(sound[$0]) | Int(sound[$0 + 1]) << 8)
        }
        #expect(found == samples)
      }
      switch side {
      case .alsa: try FileManager.default.removeItem(at: AlsaDevices.sound)
      case .avAudio:
        while SoundRoom.shared.state.withLock(\.running) > 0 { try await Task.sleep(for: .milliseconds(5)) }
      }
    }

    @Test("Both sides say why they cannot hear, and what to do", arguments: EarSide.allCases)
    func cannotHear(side: EarSide) async throws {
      let thrown = await #expect(throws: (any Error).self) { _ = try await side.missing().open() }
      let error = try #require(thrown)
      let told = try #require(LiberaError.told(error) as? LiberaError)
      #expect(told.code.hasPrefix("microphone_") && !told.message.isEmpty && told.remedy?.isEmpty == false, "\(told)")
    }
  }
#endif
