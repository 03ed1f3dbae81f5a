import Commands
package import Core
package import Documents
import Foundation
import Inference
package import Models
package import Resources
import Retrieval
package import Safety
import Speech
package import Storage
package import Workers

/// The owner of one data folder for this run: packs, workers, governor. Everything a person can do is an `Operation` run in it.
package actor House {
  package let folders: Folders
  package let errors: ErrorLog
  let traces: TraceLog
  package let packs: PackStore
  package let keys: Keys
  /// Every piece of work that computes takes its turn here.
  package let scheduler: Scheduler
  let allowance: PreviewLedger
  package let vault: Vault
  package let governor: Governor
  /// nil where nothing unsealed may be started: no pack can then be fetched.
  package let launcher: Launcher?
  package let seal: SealReport
  /// Where short pieces of what others wrote are read.
  package nonisolated let desk: ParseDesk
  /// Calendars and mail that others wrote, read there.
  let foreignFiles: ForeignFiles
  package private(set) var settings: Settings
  /// What the settings file said and could not be taken.
  package private(set) var refusedSettings: [SettingsError] = []

  /// Packs that are being looked up or loaded, and files that are being read: one at a time each.
  let claims = Claims()
  var models: [String: TextModel] = [:]
  var tuning: Tuning
  var searcher: Searcher?
  var transcriber: Transcriber?
  /// The packs that compute now, and for how many; whether they have been told to leave cores to somebody who speaks.
  var atWork: [String: Int] = [:]
  var leavesCores = false
  /// What each pack reads before it is asked.
  var readings: [String: Task<Void, Never>] = [:]
  /// The dictations under way, by session.
  var hearings: [String: Hearing] = [:]
  /// Where in their conversations the turns under way stand.
  var places: [String: TurnPlace] = [:]
  /// Whether stored folders are to be watched, and the watching itself.
  var watches = false
  /// Who lets browsers in, while this process serves the page.
  private(set) var reception: (any Reception)?
  var watching: Task<Void, Never>?
  var quiet = Duration.seconds(2)
  /// A microphone that sends nothing for so long has gone.
  var longestSilence = Duration.seconds(15)
  /// After so long without any sound somebody else may have the microphone.
  var longestPause = Duration.milliseconds(1500)
  /// The pages that are open, whether they are visible, and when they last said so.
  var pages: [String: (visible: Bool, heard: ContinuousClock.Instant)] = [:]
  var sawPage = false
  /// Commands: the table that understands them, who does them, and what rings.
  var intents: IntentModel?
  var doing: (places: Places, doer: Doer)?
  var bellTask: Task<Void, Never>?
  /// Reminders' files that could not be understood, each noted once.
  var toldOfFiles: Set<String> = []
  let bellNap = Nap()
  /// What went over the network since the start.
  var outgoing: [Outgoing] = []
  /// Imports under way, and the making of vectors that others have left.
  var imports = 0
  var catchingUp: Task<Void, Never>?
  /// Why questions are answered from words alone at the moment, where the device is the cause.
  var wordsOnly: String?

  package init(folders: Folders, sensors: any Sensors, launcher: Launcher?, seal: SealReport) throws {
    self.folders = folders
    self.launcher = launcher
    self.seal = seal
    let desk = ParseDesk()
    (self.desk, foreignFiles) = (desk, ForeignFiles(desk))
    errors = ErrorLog(folders.errorLog)
    traces = TraceLog(folders.traceLog)
    keys = Keys(folder: folders.data)
    (settings, refusedSettings) = try Settings.read(folders.settings)
    tuning = Tuning(folders.scratch.appending(path: "tuning.json"))
    try Folders.make(folders.data)
    let governor = Governor(sensors: sensors, device: Device.current, settings: settings)
    var packs = try PackStore(
      folder: folders.packs, catalogue: Catalogue(at: Installation().packs.appending(path: "catalogue.json")))
    packs.availableMemory = { governor.reachableMemory.map { Int64(clamping: $0) } }
    (self.packs, self.governor) = (packs, governor)
    scheduler = Scheduler(cores: Device.current.cores)
    allowance = PreviewLedger(folders.data.appending(path: "allowance.json"), log: errors)
    vault = try Vault(folders)
  }

  package func open() async {
    do { try packs.clean() } catch { await note(error, in: "packs") }
    do { try await learnPermissions() } catch { await note(error, in: "settings") }
    await governor.start()
    // A deletion that was ended before nothing was left in the files.
    do { try await vault.purgeIfOwed() } catch { await note(error, in: "vault") }
    await takeUpActions()
  }

  /// Ends every worker; the memory is back when this returns.
  package func close() async {
    stopRinging()
    await stopWatching()
    catchingUp?.cancel()
    await catchingUp?.value
    await awaitTurns()
    for pack in Array(readings.keys) { await stopReadingAhead(pack) }
    await governor.stop()
    for model in models.values { await model.unload() }
    models = [:]
    await transcriber?.unload()
    await desk.stop()
    await launcher?.stop()
  }

  /// Keeps an error in the log, unless a person stopped the work or asked for what does not exist.
  func note(_ error: any Error, in subsystem: String) async {
    guard !(error is CancellationError), !["usage", "cancelled"].contains(RemoteError(error).code) else { return }
    // Nobody is left to be told of a log that cannot be written; the work whose error this is still tells its caller.
    do { try await errors.record(error, in: subsystem) } catch { return }
  }

  package func serves(_ reception: (any Reception)?) { self.reception = reception }

  func change(setting name: String, to json: String) async throws -> Settings {
    let before = settings
    var failure: (any Error)?
    if name == "offline", try before.setting(name, to: json).offline {
      do { try await launcher?.goOffline() } catch { failure = error }
    }
    try await learnPermissions()
    let changed = try settings.setting(name, to: json)
    guard launcher == nil || Permissions(of: changed) == Permissions(of: settings) else {
      throw SettingsError.terminalOnly(name, json)
    }
    try changed.write(to: folders.settings)
    settings = changed
    refusedSettings.removeAll { $0.setting == name }
    await governor.use(changed)
    try await allowance.tierChanged(from: before.tier, to: changed.tier)
    if let failure { throw failure }
    return changed
  }

  /// What the launcher obeys; a terminal may have changed it meanwhile.
  private func learnPermissions() async throws {
    guard let permissions = try await launcher?.permissions() else { return }
    settings = permissions.governing(settings)
  }

  // MARK: Models

  /// The chat pack the person has set for a mode, where one is set for it alone.
  func packSet(for mode: Mode?) -> String? { (mode ?? settings.mode) == .deep ? settings.deepPack : nil }

  /// The chat pack an answer would be written with: asked for, set, or the best of those installed (`PackChoice`).
  func chatPack(asked: String?, preference: PackPreference) throws -> PackStatus {
    if let id = asked ?? settings.pack {
      let status = try packs.status(of: id)
      guard status.installed != nil else { throw PackError.notInstalled(id) }
      return status
    }
    let chat = try packs.list().filter { $0.pack.kind == .chat && $0.installed != nil }
    guard let chosen = PackChoice.best(of: chat, preference) else { throw AssistantError.noChatPack }
    return chosen
  }

  /// The pack's model, loaded; admitted by the governor first. A pack whose files are not what was installed is refused, and no
  /// longer used where it was loaded. `progress` runs from 0 to 1 while it loads, `notice` says what
  /// else is done meanwhile.
  func model(
    _ status: PackStatus, limits: Limits, notice: @escaping @Sendable (String) -> Void = { _ in },
    progress: @escaping @Sendable (Double) -> Void
  ) async throws -> TextModel {
    let id = status.pack.id
    let claim = "pack \(id)"
    try await claims.hold(claim)
    defer { claims.release(claim) }
    await stopReadingAhead(id)
    do { try await packs.check(id) } catch {
      await unload(id)
      throw error
    }
    let isChat = status.pack.kind == .chat
    let wanted = isChat ? max(limits.contextTokens.value, Fit.smallestContext) : status.pack.context
    if let model = models[id], let info = await model.info {
      let grows = isChat && info.contextTokens < min(wanted, info.trainedContextTokens, status.pack.context)
      let hasRoom = try grows && packs.fit(id, context: wanted).context > info.contextTokens
      let isUsed = await governor.isUsed(id)
      guard hasRoom, !isUsed, limits.loads.value else { return model }
      await unload(id)
    }
    await renewLayout(id, progress: progress)
    let fit = try packs.fit(id, context: wanted)
    let measures = isChat ? await needsTuning(id) : false
    let request = loadRequest(
      status.pack, contextTokens: fit.fits ? min(fit.context, wanted) : Fit.smallestContext, measures: measures)
    // The commands' reader works beside the vectors of documents, in the same worker.
    let adapter = id == IntentModel.encoderPack ? IntentModel.adapterFile : nil
    let footprint = UInt64(max(0, fit.footprintBytes))
    let model = try TextModel(
      pack: packs.weights(of: id), adapter: adapter,
      locator: Locating.isOn && id == Locating.pack ? Locating.adapterFile : nil,
      request: request, footprintBytes: footprint)
    try await governor.admit(id, bytes: footprint)
    models[id] = model
    do {
      for try await event in model.load() {
        if case .progress(let share) = event { progress(share) }
      }
      if measures {
        notice("measuring how this pack computes fastest here, once")
        try await tune(id, model, seconds: 3) { _ in }
      }
    } catch {
      await model.unload()
      await governor.unloaded(id)
      models[id] = nil
      throw error
    }
    progress(1)
    if settings.threads == nil, tuning[id].threads == nil, let info = await model.info {
      try tuning.keep(for: id) { $0.threads = info.threads }
    }
    await governor.loaded(id, process: model.process) { [weak self] _ in
      await model.unload()
      await self?.forget(id)
    }
    return model
  }

  private func loadRequest(_ pack: Pack, contextTokens: Int, measures: Bool) -> LoadRequest {
    var request = LoadRequest(contextTokens: contextTokens)
    tuning[pack.id].apply(to: &request)
    if measures { request.threads = Device.current.cores }
    request.threads = settings.threads ?? request.threads
    request.microBatch = settings.microBatch ?? request.microBatch
    request.kvType = settings.kvType ?? request.kvType
    request.flashAttention = settings.flashAttention ?? request.flashAttention
    request.embeddings = pack.kind == .embed
    request.gpu = settings.compute != .cpu
    return request
  }

  private func forget(_ id: String) {
    models[id] = nil
    searcher = nil
  }

  func unload(_ id: String) async {
    searcher = nil
    await stopReadingAhead(id)
    await models.removeValue(forKey: id)?.unload()
    await governor.unloaded(id)
  }

  func unloadAll() async {
    for id in Array(models.keys) { await unload(id) }
  }

  /// Back to the defaults, with nothing left of what was set or measured.
  func forgetSettings() async throws {
    if FileManager.default.fileExists(atPath: folders.settings.path) {
      try FileManager.default.removeItem(at: folders.settings)
    }
    try tuning.forget()
    settings = Settings()
    refusedSettings = []
    try await learnPermissions()
    await governor.use(settings)
  }

  /// Prompt tokens per second that the pack which would answer reads now, as measured on this device or as the catalogue expects:
  /// what the evidence budget goes by.
  func readingSpeed(asked: String?, _ preference: PackPreference) -> Double? {
    guard case .success(let status) = Result(catching: { try chatPack(asked: asked, preference: preference) }) else {
      return nil  // nothing will be read
    }
    return tuning[status.pack.id].promptSpeed ?? status.pack.throughput?.prompt
  }

  /// A speed that cannot be kept is no reason to lose the answer it was measured with.
  func measured(readingSpeed: Double, of id: String) async {
    do { try tuning.keep(for: id) { $0.read(at: readingSpeed) } } catch { await note(error, in: "tuning") }
  }
}

/// Which of the installed chat packs answers where nobody has named one.
enum PackChoice {
  /// The preferred one of those that fit; where none does the smallest, so that its reason can be told.
  static func best(of packs: [PackStatus], _ preference: PackPreference) -> PackStatus? {
    let bySize = packs.sorted { $0.pack.parameters < $1.pack.parameters }
    let fitting = bySize.filter(\.fit.fits)
    return (preference == .fastest ? fitting.first : fitting.last) ?? bySize.first
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
