public import Foundation
public import LiberaKit

/// Whether the person lets this program reach something of theirs.
public enum Leave: String, Sendable, Codable, CaseIterable {
  case notAsked, given, refused
  /// The device has nothing of the kind.
  case notThere
}

/// An entry as the system's calendar or reminders take it.
public struct CalendarEntry: Sendable, Equatable {
  public enum Kind: String, Sendable, CaseIterable { case event, reminder }
  public enum Repetition: String, Sendable, CaseIterable { case daily, weekly, monthly, yearly }
  public var kind: Kind
  public var title: String
  /// nil: a reminder without a time.
  public var start: Date?
  /// Of whole days: the midnight after the last.
  public var end: Date?
  /// `start` is a midnight and only its day counts; a reminder is then told in the morning.
  public var isAllDay: Bool
  public var repetition: Repetition?

  public init(
    kind: Kind, title: String, start: Date? = nil, end: Date? = nil, isAllDay: Bool = false,
    repetition: Repetition? = nil
  ) {
    (self.kind, self.title, self.start, self.end) = (kind, title, start, end)
    (self.isAllDay, self.repetition) = (isAllDay, repetition)
  }

  /// When the system is to tell it; nil for one without a time.
  public var rings: Date? { isAllDay ? start?.addingTimeInterval(9 * 3600) : start }
  /// When it is over; an hour, or a day, where nothing was said.
  public var over: Date? { end ?? start?.addingTimeInterval(isAllDay ? 86_400 : 3600) }
}

/// The calendar and the reminders of the system.
public protocol SystemCalendar: Sendable {
  func leave(for kind: CalendarEntry.Kind) async -> Leave
  /// Asks the person, where that was not done yet.
  func ask(for kind: CalendarEntry.Kind) async throws -> Leave
  /// - Returns: The name by which it can be removed.
  /// - Throws: `LiberaError` with the code `calendar_refused` where the person does not allow it, `calendar_not_there` where there is
  ///   none to write to.
  func add(_ entry: CalendarEntry) async throws -> String
  /// What is gone already is no error.
  func remove(_ id: String, of kind: CalendarEntry.Kind) async throws
}

/// The notifications of the system: what rings while the app is not on the screen.
public protocol ReminderRinger: Sendable {
  func leave() async -> Leave
  func ask() async throws -> Leave
  /// From now on these ring and nothing else of ours does.
  func ring(_ reminders: [DueReminder]) async throws
}

/// What the system says of its own accord.
public protocol SystemSignals: Sendable {
  /// Once for each time that memory is short. Ending the loop ends listening.
  func memoryWarnings() -> AsyncStream<Void>
}

/// Time that the system gives while nobody looks and the device lies at its charger.
public protocol PowerTime: Sendable {
  /// To be called once, while the app starts. `work` is called each time that time is given, and is cancelled when it is over; it says
  /// whether it came to its end.
  func whenGiven(_ work: @escaping @Sendable () async -> Bool)
  /// Asks for it once. Asking again changes nothing.
  func ask() throws
  func withdraw()
}

/// Something that a store sells.
public struct StoreOffer: Sendable, Equatable, Identifiable {
  public var id: String
  public var name: String
  /// As the store writes it, with its currency.
  public var price: String
  public init(id: String, name: String, price: String) { (self.id, self.name, self.price) = (id, name, price) }
}

/// How a purchase has ended.
public enum StorePurchase: Sendable, Equatable {
  case bought
  /// The person has left it.
  case left
  /// Somebody else must allow it; `changes` tells when that was done.
  case waiting
}

/// The store that an app was got from.
public protocol Store: Sendable {
  func offers(_ ids: [String]) async throws -> [StoreOffer]
  func buy(_ id: String) async throws -> StorePurchase
  /// What the person owns, as far as the store has signed it; known without a network.
  func owned() async throws -> Set<String>
  func restore() async throws
  /// Once for each thing that was bought, allowed or taken back elsewhere.
  func changes() -> AsyncStream<Void>
}

/// What an app reaches beyond this library; what is nil is not there.
public struct Doors: Sendable {
  public var microphone: (any Microphone)?
  public var calendar: (any SystemCalendar)?
  public var ringer: (any ReminderRinger)?
  public var signals: (any SystemSignals)?
  public var power: (any PowerTime)?
  public var store: (any Store)?
  /// What the store sells of this app; nil: nothing, and everything may be used.
  public var products: Products?
  /// The system's own language model: handed to the library when it is opened.
  public var model: (any PlatformModel)?
  /// The system's tools that show where time goes: handed to the library when it is opened.
  public var signposts: (any AnswerSignposts)?
  /// The system's own recogniser of text in pictures: handed to the library when it is opened.
  public var recogniser: (any TextRecogniser)?
  public var voice: (any Voice)?
  /// The system's own recognition of speech, for where no pack for it is installed.
  public var ear: (any SystemEar)?
  public var files: (any FileKeeping)?
  /// The file that keeps the system's names of entries, so that undo finds them after a restart; nil: they are not kept.
  public var notes: URL?
  /// A folder of the app's own for files on their way in; it need not be there yet.
  public var place: URL
  /// Where the share extension leaves files; nil: nothing can be shared with this app.
  public var shared: URL?

  public init(
    microphone: (any Microphone)? = nil, calendar: (any SystemCalendar)? = nil, ringer: (any ReminderRinger)? = nil,
    signals: (any SystemSignals)? = nil, power: (any PowerTime)? = nil, store: (any Store)? = nil,
    products: Products? = nil, model: (any PlatformModel)? = nil, voice: (any Voice)? = nil,
    files: (any FileKeeping)? = nil, signposts: (any AnswerSignposts)? = nil,
    recogniser: (any TextRecogniser)? = nil, ear: (any SystemEar)? = nil, notes: URL? = nil,
    place: URL = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString, directoryHint: .isDirectory),
    shared: URL? = nil
  ) {
    (self.shared, self.ear) = (shared, ear)
    (self.microphone, self.calendar, self.ringer) = (microphone, calendar, ringer)
    (self.store, self.products) = (store, products)
    (self.model, self.voice, self.files) = (model, voice, files)
    (self.signposts, self.recogniser) = (signposts, recogniser)
    (self.signals, self.power, self.notes, self.place) = (signals, power, notes, place)
  }
}
