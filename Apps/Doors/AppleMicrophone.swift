import AVFAudio
import Foundation
import LiberaKit
public import LiberaScreens
import Synchronization

/// The device's microphone, through AVAudioEngine.
public struct AppleMicrophone: Microphone {
  public init() {}

  public func open() async throws -> OpenMicrophone {
    guard await AVAudioApplication.requestRecordPermission() else {
      throw LiberaError(
        code: "microphone_refused", message: "This app may not hear the microphone.",
        remedy: "Allow it in the system's settings, under privacy.")
    }
    return try Capture().begin()
  }
}

/// One engine from its start to its end.
private final class Capture: Sendable {
  private struct Held {
    var engine: AVAudioEngine?
    var observers: [any NSObjectProtocol] = []
  }
  private let held = Mutex(Held())

  func begin() throws -> OpenMicrophone {
    let (events, continuation) = AsyncStream.makeStream(of: OpenMicrophone.Event.self)
    continuation.onTermination = { _ in self.end() }
    watch(continuation)
    do {
      #if !os(macOS)
        let session = AVAudioSession.sharedInstance()
        try session.setCategory(.record, mode: .measurement)
        try session.setActive(true)
      #endif
      return OpenMicrophone(rate: try start(continuation), events: events)
    } catch {
      continuation.finish()
      throw LiberaError(
        code: "microphone_failed", message: "The microphone could not be opened: \(error.localizedDescription)")
    }
  }

  /// - Returns: Samples a second.
  private func start(_ sound: AsyncStream<OpenMicrophone.Event>.Continuation) throws -> Int {
    try held.withLock { held in
      let engine = AVAudioEngine()
      held.engine = engine
      let rate = engine.inputNode.outputFormat(forBus: 0).sampleRate
      engine.inputNode.installTap(onBus: 0, bufferSize: 4096, format: nil) { buffer, _ in
        guard let channel = buffer.floatChannelData?[0] else { return }
        sound.yield(.sound(Self.samples(UnsafeBufferPointer(start: channel, count: Int(buffer.frameLength)))))
      }
      engine.prepare()
      try engine.start()
      return Int(rate)
    }
  }

  /// 16-bit little-endian samples of floats from -1 to 1.
  private static func samples(_ floats: UnsafeBufferPointer<Float>) -> Data {
    var data = Data(capacity: floats.count * 2)
    for float in floats {
      let sample = UInt16(bitPattern: Int16((max(-1, min(1, float)) * 32_767).rounded()))
      data.append(UInt8(truncatingIfNeeded: sample))
      data.append(UInt8(truncatingIfNeeded: sample >> 8))
    }
    return data
  }

  /// A call, or headphones that were pulled out.
  private func watch(_ events: AsyncStream<OpenMicrophone.Event>.Continuation) {
    #if !os(macOS)
      let interrupted: @Sendable (Notification) -> Void = { notice in
        let kind = notice.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt
        let reason = notice.userInfo?[AVAudioSessionRouteChangeReasonKey] as? UInt
        guard
          kind == AVAudioSession.InterruptionType.began.rawValue
            || reason == AVAudioSession.RouteChangeReason.oldDeviceUnavailable.rawValue
        else { return }
        events.yield(.interrupted)
        events.finish()
      }
      for name in [AVAudioSession.interruptionNotification, AVAudioSession.routeChangeNotification] {
        held.withLock { held in
          held.observers.append(
            NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil, using: interrupted))
        }
      }
    #endif
  }

  private func end() {
    held.withLock { held in
      held.engine?.inputNode.removeTap(onBus: 0)
      held.engine?.stop()
      held.engine = nil
      for observer in held.observers { NotificationCenter.default.removeObserver(observer) }
      held.observers = []
    }
    #if !os(macOS)
      // Music that was playing goes on; where it does not, nothing of ours is lost.
      do { try AVAudioSession.sharedInstance().setActive(false, options: .notifyOthersOnDeactivation) } catch { return }
    #endif
  }
}
