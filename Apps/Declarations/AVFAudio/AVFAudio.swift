public import Foundation
package import Synchronization

/// What stands here for the device: what its microphone hears, and whether it may be heard.
package final class SoundRoom: Sendable {
  package struct State: Sendable {
    package var mayRecord = true
    package var sound: [Float] = []
    package var rate = 48_000.0
    /// How many engines run.
    package var running = 0
    /// What the sound of the device is used for.
    package var category: AVAudioSession.Category?
    package var isActive = false
  }
  package static let shared = SoundRoom()
  package let state = Mutex(State())
}

/// https://developer.apple.com/documentation/avfaudio/avaudioapplication
open class AVAudioApplication: NSObject {
  /// https://developer.apple.com/documentation/avfaudio/avaudioapplication/requestrecordpermission(completionhandler:)
  open class func requestRecordPermission() async -> Bool { SoundRoom.shared.state.withLock(\.mayRecord) }
}

/// https://developer.apple.com/documentation/avfaudio/avaudiosession, which is not there on the Mac
open class AVAudioSession: NSObject, @unchecked Sendable {
  public struct Category: RawRepresentable, Hashable, Sendable {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let record = Category(rawValue: "AVAudioSessionCategoryRecord")
    public static let playback = Category(rawValue: "AVAudioSessionCategoryPlayback")
  }
  public struct Mode: RawRepresentable, Hashable, Sendable {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let measurement = Mode(rawValue: "AVAudioSessionModeMeasurement")
    public static let spokenAudio = Mode(rawValue: "AVAudioSessionModeSpokenAudio")
  }
  public struct CategoryOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let duckOthers = CategoryOptions(rawValue: 2)
  }
  public struct SetActiveOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let notifyOthersOnDeactivation = SetActiveOptions(rawValue: 1)
  }
  public enum InterruptionType: UInt, Sendable { case ended = 0, began = 1 }
  public enum RouteChangeReason: UInt, Sendable { case unknown = 0, newDeviceAvailable = 1, oldDeviceUnavailable = 2 }

  private static let session = AVAudioSession()
  open class func sharedInstance() -> AVAudioSession { session }
  open func setCategory(_ category: Category, mode: Mode, options: CategoryOptions = []) throws {
    SoundRoom.shared.state.withLock { $0.category = category }
  }
  open func setActive(_ active: Bool, options: SetActiveOptions = []) throws {
    SoundRoom.shared.state.withLock { $0.isActive = active }
  }

  public static let interruptionNotification = NSNotification.Name("AVAudioSessionInterruptionNotification")
  public static let routeChangeNotification = NSNotification.Name("AVAudioSessionRouteChangeNotification")
}

/// https://developer.apple.com/documentation/avfaudio/avaudiosessioninterruptiontypekey
// swift-format-ignore: AlwaysUseLowerCamelCase
public let AVAudioSessionInterruptionTypeKey = "AVAudioSessionInterruptionTypeKey"
/// https://developer.apple.com/documentation/avfaudio/avaudiosessionroutechangereasonkey
// swift-format-ignore: AlwaysUseLowerCamelCase
public let AVAudioSessionRouteChangeReasonKey = "AVAudioSessionRouteChangeReasonKey"

public typealias AVAudioFrameCount = UInt32
public typealias AVAudioNodeBus = Int

/// https://developer.apple.com/documentation/avfaudio/avaudiotime
open class AVAudioTime: NSObject {}

/// https://developer.apple.com/documentation/avfaudio/avaudionodetapblock
public typealias AVAudioNodeTapBlock = (AVAudioPCMBuffer, AVAudioTime) -> Void

/// https://developer.apple.com/documentation/avfaudio/avaudionode
open class AVAudioNode: NSObject {
  var tap: AVAudioNodeTapBlock?
  var size = 4096
  open func outputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat { AVAudioFormat(ofRoom: ()) }
  open func installTap(
    onBus bus: AVAudioNodeBus, bufferSize: AVAudioFrameCount, format: AVAudioFormat?,
    block tapBlock: @escaping AVAudioNodeTapBlock
  ) { (tap, size) = (tapBlock, Int(bufferSize)) }
  open func removeTap(onBus bus: AVAudioNodeBus) { tap = nil }
}

/// https://developer.apple.com/documentation/avfaudio/avaudioinputnode
open class AVAudioInputNode: AVAudioNode {}

/// Hears the whole sound of the room as soon as it starts. https://developer.apple.com/documentation/avfaudio/avaudioengine
open class AVAudioEngine: NSObject {
  public let inputNode = AVAudioInputNode()
  private var isRunning = false
  open func prepare() {}

  open func start() throws {
    isRunning = true
    let sound = SoundRoom.shared.state.withLock { state in
      state.running += 1
      return state.sound
    }
    for start in stride(from: 0, to: sound.count, by: inputNode.size) {
      guard let buffer = AVAudioPCMBuffer(sound[start..<min(sound.count, start + inputNode.size)]) else { continue }
      inputNode.tap?(buffer, AVAudioTime())
    }
  }

  open func stop() {
    guard isRunning else { return }
    isRunning = false
    SoundRoom.shared.state.withLock { $0.running -= 1 }
  }
}
