package import Core
package import Documents
import Foundation
package import Models
package import Resources
package import Safety
package import Storage
import Synchronization
package import Workers

/// The owner of one data folder for this run: packs, workers, governor. Everything a person can do is an `Operation` run in it.
package final class House: Sendable {
  package let folders: Folders
  package let errors: ErrorLog
  package let traces: TraceLog
  package let packs: PackStore
  package let keys: Keys
  /// Every piece of work that computes takes its turn here.
  package let scheduler: Scheduler
  package let allowance: PreviewLedger
  package let vault: Vault
  package let governor: Governor
  /// nil where nothing unsealed may be started: no pack can then be fetched.
  package let launcher: Launcher?
  package let seal: SealReport
  /// Where the engines run.
  package let host: WorkerHost
  /// The system's own language model, where the program was given one.
  let platform: (any PlatformModel)?
  let signposts: (any AnswerSignposts)?
  let pages: OpenPages
  let installation: Installation
  /// Where short pieces of what others wrote are read.
  package let desk: ParseDesk
  /// What is read aloud at once: each text is a process of its own, which does not wait for answers.
  let voices = Scheduler(cores: 2)
  /// Where whole texts are read, and lists of all that there is, which may be long.
  let texts = Scheduler(cores: 1)
  /// Where pages are drawn for who reads them.
  let drawing: PageDesk
  package let currentSettings: CurrentSettings
  package var settings: Settings { currentSettings.now }

  let models: LoadedPacks
  let listener: Listener
  let actions: ActionFiles
  package let ringing: Ringing
  let acting: Acting
  let cards: GraphicsCards
  let library: LibraryIndex
  let importing: Importing
  package let watching: FolderWatching
  let conversing: Conversing
  package let tools: ToolDesk
  package let departure = Departure()
  /// What went over the network since the start.
  let outgoing = OutgoingLog()
  private let served = Mutex<(any Reception)?>(nil)

  package init(
    folders: Folders, sensors: any Sensors, launcher: Launcher?, seal: SealReport, host: WorkerHost = .processes,
    installation: Installation? = nil, platform: (any PlatformModel)? = nil,
    signposts: (any AnswerSignposts)? = nil
  ) throws {
    self.folders = folders
    (self.platform, self.signposts) = (platform, signposts)
    self.launcher = launcher
    self.seal = seal
    self.host = host
    self.installation = try installation ?? Installation()
    let desk = ParseDesk(on: host)
    drawing = PageDesk(on: host)
    self.desk = desk
    errors = ErrorLog(folders.errorLog)
    traces = TraceLog(folders.traceLog)
    keys = Keys(folder: folders.data)
    currentSettings = try CurrentSettings(folders.settings, launcher)
    try Folders.make(folders.data)
    let governor = Governor(sensors: sensors, device: Device.current, settings: currentSettings.now)
    var packs = try PackStore(
      folder: folders.packs,
      catalogue: Catalogue(at: self.installation.packs.appending(path: "catalogue.json")))
    packs.availableMemory = { governor.reachableMemory.map { Int64(clamping: $0) } }
    let cards = GraphicsCards(currentSettings, on: host, errors)
    packs.card = { cards.used }
    (self.packs, self.governor, self.cards) = (packs, governor, cards)
    pages = OpenPages { await governor.background($0) }
    scheduler = Scheduler(cores: Device.current.cores)
    // Packs that are being looked up or loaded, and files that are being read: one at a time each.
    let claims = Claims()
    models = LoadedPacks(
      packs, currentSettings, governor, scheduler, claims, on: host, errors, cards,
      tuning: folders.scratch.appending(path: "tuning.json"), prompts: folders.prompts)
    listener = Listener(packs, models, currentSettings, governor, scheduler, claims, on: host)
    actions = ActionFiles(folders, currentSettings, reader: ForeignFiles(desk))
    ringing = Ringing(actions, currentSettings, launcher, errors)
    acting = Acting(actions, ringing, packs, models, currentSettings, governor)
    allowance = PreviewLedger(folders.data.appending(path: "allowance.json"), log: errors)
    vault = try Vault(folders)
    conversing = Conversing(vault)
    tools = ToolDesk(launcher, folders)
    library = LibraryIndex(vault, packs, models, currentSettings, governor, errors)
    importing = Importing(
      vault: vault, library: library, governor: governor, scheduler: scheduler, claims: claims, host: host,
      errors: errors)
    watching = FolderWatching(vault, library, importing, governor, errors)
  }

  package func open() async {
    do { try packs.clean() } catch { await errors.note(error, in: "packs") }
    do { try await currentSettings.learnPermissions() } catch { await errors.note(error, in: "settings") }
    await governor.start()
    // A deletion that was ended before nothing was left in the files.
    do {
      try await vault.purgeIfOwed()
      // Bytes of files that an import had brought in when it was ended.
      _ = try await vault.sweepIfOwed { [library] in library.imports > 0 }
    } catch { await errors.note(error, in: "vault") }
    await ringing.takeUp()
  }

  /// Ends every worker; the memory is back when this returns.
  package func close() async {
    await ringing.stop()
    await tools.close()
    await watching.close()
    await library.close()
    await conversing.awaitTurns()
    await governor.stop()
    await models.unloadAll(keeping: true)
    await listener.close()
    await desk.stop()
    await drawing.stop()
    await launcher?.stop()
  }

  /// Who lets browsers in, while this process serves the page.
  var reception: (any Reception)? { served.withLock(\.self) }
  package func serves(_ reception: (any Reception)?) { served.withLock { $0 = reception } }

  func change(setting name: String, to json: String) async throws -> Settings {
    let (tier, instructions) = (settings.tier, settings.instructions)
    let (changed, failure) = try await currentSettings.change(name, to: json)
    // Kept prompts begin with them.
    if changed.instructions != instructions { try await models.forgetPrompts() }
    await governor.use(changed)
    try await allowance.tierChanged(from: tier, to: changed.tier)
    if let failure { throw failure }
    return changed
  }

  /// All memory of models and parsers, in use or not: as when the system wants it.
  package func giveBack() async {
    await governor.systemWarning()
    await models.unloadAll(keeping: false)
    await desk.stop()
    await drawing.stop()
  }

  /// Back to the defaults, with nothing left of what was set or measured.
  func forgetSettings() async throws {
    try await models.forgetMeasurements()
    try await models.forgetPrompts()
    try await currentSettings.forget()
    await governor.use(settings)
  }
}

extension Device {
  /// As far as it is ours: a control group may give less than the machine has.
  package static let current: Device = {
    #if os(Linux)
      LinuxSensors().device()
    #else
      AppleSensors().device()
    #endif
  }()
}
