public import Assistant
import Core
public import Documents
public import Foundation

/// A private assistant inside your program: documents in, answers with their evidence out, spoken commands done and taken back.
/// Nothing it does opens a connection.
///
/// ```swift
/// let libera = try await Libera(home: folder)
/// for try await event in libera.import([contract]) { print(event) }
/// for try await event in libera.ask("How long is the notice period?") {
///   if case .piece(let words) = event { print(words, terminator: "") }
/// }
/// await libera.close()
/// ```
///
/// One program at a time works with a home; a second one gets the error `folder_in_use`. All members may be called from anywhere
/// and at once: whoever computes takes its turn, people before indexing.
public final class Libera: Sendable {
  private let household: Household
  var house: House { household.house }

  /// Opens a home, and makes it where there is none.
  ///
  /// - Parameters:
  ///   - home: Everything a person keeps: documents, conversations, packs, actions, settings. Readable by its owner alone.
  ///   - caches: What can be made again. nil: where the system keeps caches.
  ///   - resources: The folder with `Packs/catalogue.json` and `NOTICE` of this library, in an app the one it was copied to. nil: the
  ///     folder above the running program that has them.
  ///   - engines: Where models and parsers run.
  ///   - platform: The system's own language model, which answers before all packs where it can.
  ///   - signposts: Who is told, while answers are made, what their time goes to.
  ///   - recogniser: The system's own recogniser of text in pictures, for engines in the program.
  /// - Throws: `LiberaError`
  public convenience init(
    home: URL, caches: URL? = nil, resources: URL? = nil, engines: Engines = .inProgram,
    platform: (any PlatformModel)? = nil, signposts: (any AnswerSignposts)? = nil,
    recogniser: (any TextRecogniser)? = nil
  ) async throws {
    var folders = Folders(home: home)
    if let caches { folders.cache = caches }
    do {
      self.init(
        try await Household.open(
          folders, on: engines.host(recogniser: recogniser), installation: resources.map { Installation(at: $0) },
          platform: platform, signposts: signposts))
    } catch { throw LiberaError.told(error) }
  }

  init(_ household: Household) { self.household = household }

  /// Stops what runs, gives all memory of models back and lets go of the home.
  public func close() async { await household.close() }

  // MARK: The one way to the operations

  /// An operation's events as those of this library. Dropping the stream stops the work.
  func events<Of: Assistant.Operation, Event: Sendable>(
    _ type: Of.Type, _ input: Of.Input, _ told: @escaping @Sendable (Of.Event) -> Event?,
    ended: @escaping @Sendable () -> Void = {}
  ) -> AsyncThrowingStream<Event, any Error> {
    streaming { [house] emit in
      defer { ended() }
      do {
        for try await event in type.perform(input, for: .terminal, in: house) {
          if let event = told(event) { emit(event) }
        }
      } catch { throw LiberaError.told(error) }
    }
  }

  /// Everything an operation tells.
  func all<Of: Assistant.Operation>(_ type: Of.Type, _ input: Of.Input) async throws -> [Of.Event] {
    var all: [Of.Event] = []
    do {
      for try await event in type.perform(input, for: .terminal, in: house) { all.append(event) }
    } catch { throw LiberaError.told(error) }
    try Task.checkCancellation()
    return all
  }

  /// What an operation with one answer tells.
  func one<Of: Assistant.Operation>(_ type: Of.Type, _ input: Of.Input) async throws -> Of.Event {
    guard let last = try await all(type, input).last else { throw CancellationError() }
    return last
  }
}
