/// The system's own recognition of speech, on the device. It only hears: when a dictation begins and ends, and what becomes of its
/// words, is decided elsewhere.
public protocol SystemEar: Sendable {
  /// Whether it hears a language, as in "en", now and without fetching anything.
  func hears(_ language: String) async -> Bool
  func open(_ language: String) async throws -> OpenEar
}

/// One dictation of the system's. Ending the loop over what is heard ends it.
public struct OpenEar: Sendable {
  /// Everything since what settled last; it takes the place of what was told before.
  public struct Heard: Sendable, Equatable {
    public var text: String
    public var isSettled: Bool
    public init(_ text: String, isSettled: Bool) { (self.text, self.isSettled) = (text, isSettled) }
  }
  /// Samples a second of what it is to be given.
  public var rate: Int
  public var heard: AsyncThrowingStream<Heard, any Error>
  /// The next samples, from -1 to 1, one channel.
  public var hear: @Sendable ([Float]) -> Void
  /// No more sound comes: what was said last settles, and then `heard` ends.
  public var finish: @Sendable () async throws -> Void

  public init(
    rate: Int, heard: AsyncThrowingStream<Heard, any Error>, hear: @escaping @Sendable ([Float]) -> Void,
    finish: @escaping @Sendable () async throws -> Void
  ) {
    (self.rate, self.heard, self.hear, self.finish) = (rate, heard, hear, finish)
  }
}
