public import Foundation
public import LiberaKit
public import Observation

/// Where a person can be.
public enum Place: String, Sendable, Hashable, CaseIterable { case chat, library, voice, actions, more }

/// All screens of an open home.
@MainActor @Observable
public final class Rooms {
  public let libera: Libera
  public let doors: Doors
  /// What the system does with the folder; nil where it is not asked to do anything.
  public let keeping: HomeKeeping?
  public let mirror: SystemMirror
  public private(set) var chat: ChatScreen
  public let conversations: ConversationsScreen
  public let library: LibraryScreen
  public let packs: PacksScreen
  public let command: CommandScreen
  public let voice: VoiceScreen
  public let aloud: ReadingAloud
  public let device: DeviceScreen
  public let actions: ActionsScreen
  public let data: DataScreen
  public let diagnostics: DiagnosticsScreen
  public let firstRun: FirstRunScreen
  public let life: AppLife
  public let plan: PlanScreen
  /// Where the app is to be shown next, as somebody asks from outside it; whoever shows it takes the wish away.
  public var wanted: Place?

  public init(_ libera: Libera, doors: Doors = Doors(), keeping: HomeKeeping? = nil) {
    (self.libera, self.doors, self.keeping) = (libera, doors, keeping)
    mirror = SystemMirror(libera, doors)
    chat = ChatScreen(libera, place: doors.place)
    conversations = ConversationsScreen(libera)
    library = LibraryScreen(libera, place: doors.place)
    packs = PacksScreen(libera)
    command = CommandScreen(libera)
    voice = VoiceScreen(libera, ear: doors.ear)
    aloud = ReadingAloud(doors.voice)
    device = DeviceScreen(libera)
    actions = ActionsScreen(libera)
    data = DataScreen(libera)
    diagnostics = DiagnosticsScreen(libera)
    firstRun = FirstRunScreen(libera, packs: packs, library: library)
    life = AppLife(libera)
    plan = PlanScreen(libera, store: doors.store, products: doors.products)
    (life.voice, life.aloud, voice.aloud) = (voice, aloud, aloud)
    (command.mirror, actions.mirror) = (mirror, mirror)
  }

  public func newConversation() {
    chat.stop()
    aloud.hush()
    chat = ChatScreen(libera, place: doors.place)
  }

  public func open(_ conversation: UUID) async {
    chat.stop()
    aloud.hush()
    let kept = ChatScreen(libera, conversation: conversation, place: doors.place)
    await kept.open()
    chat = kept
  }

  /// Shows another version of a question or its answer in the conversation.
  public func show(version: ConversationTurn.ID) async {
    aloud.hush()
    await chat.show(version: version)
  }

  /// What was said, as a command.
  public func doWhatWasSaid() async {
    let words = voice.heard.text
    guard !words.isEmpty else { return }
    await command.hear(words, recognition: voice.heard.recognition)
  }

  /// What was said, into the composer.
  public func askWhatWasSaid() { chat.draft = voice.heard.text }
}

/// The whole app: its home is opened, cannot be opened, or is open.
@MainActor @Observable
public final class AppScreen {
  public enum Stage {
    case opening
    case failed(LiberaError)
    case open(Rooms)
  }

  public private(set) var stage = Stage.opening
  /// One at a time: a home is opened once, whoever asks first.
  @ObservationIgnored private var opening: Task<Void, Never>?
  @ObservationIgnored private let home: @Sendable () async throws -> Libera
  @ObservationIgnored private let doors: Doors
  @ObservationIgnored private let night: NightShift?
  @ObservationIgnored private let keeping: HomeKeeping?

  /// - Parameter folder: Where everything is kept, for the system to protect; nil: it is left as it is.
  public init(doors: Doors = Doors(), folder: URL? = nil, home: @escaping @Sendable () async throws -> Libera) {
    (self.doors, self.home) = (doors, home)
    keeping = folder.flatMap { folder in doors.files.map { HomeKeeping(folder, $0) } }
    night = doors.power.map { NightShift($0) }
    night?.begin { [weak self] in try await self?.rooms() }
  }

  public func open() async {
    if case .open = stage { return }
    let task = opening ?? Task { await self.openOnce() }
    opening = task
    await task.value
  }

  private func openOnce() async {
    stage = .opening
    defer { opening = nil }
    keeping?.prepare()
    do {
      let rooms = Rooms(try await home(), doors: doors, keeping: keeping)
      rooms.library.resume()
      await rooms.firstRun.begin()
      await rooms.device.read()
      await rooms.mirror.open()
      rooms.life.whenHidden = { [night, weak rooms] in
        if let rooms { await night?.hides(rooms) }
      }
      rooms.life.whenShown = { [weak rooms] in rooms?.library.takeShared(from: rooms?.doors.shared) }
      stage = .open(rooms)
    } catch { stage = .failed(LiberaError(telling: error)) }
  }

  /// The open home, for whoever comes without a screen.
  public func rooms() async throws -> Rooms {
    await open()
    switch stage {
    case .open(let rooms): return rooms
    case .failed(let error): throw error
    case .opening: throw CancellationError()
    }
  }
}
