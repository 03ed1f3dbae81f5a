package import Core
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
  package let packs: PackStore
  package let vault: Vault
  package let governor: Governor
  /// nil where nothing unsealed may be started: no pack can then be fetched.
  package let launcher: Launcher?
  package let seal: SealReport
  package private(set) var settings: Settings

  private var models: [String: TextModel] = [:]
  private var tuning: Tuning
  var searcher: Searcher?
  var transcriber: Transcriber?
  /// The dictations under way, by session.
  var hearings: [String: Hearing] = [:]
  /// Where in their conversations the turns under way stand.
  var places: [String: TurnPlace] = [:]
  /// Whether stored folders are to be watched, and the watching itself.
  var watches = false
  /// Gives a fresh link to the page, while this process serves one.
  private(set) var page: (@Sendable () -> String)?
  var watching: Task<Void, Never>?
  var quiet = Duration.seconds(2)

  package init(folders: Folders, sensors: any Sensors, launcher: Launcher?, seal: SealReport) throws {
    self.folders = folders
    self.launcher = launcher
    self.seal = seal
    errors = ErrorLog(folders.errorLog)
    settings = try Settings(over: folders.settings)
    tuning = Tuning(folders.cache.appending(path: "tuning.json"))
    try Folders.make(folders.data)
    packs = try PackStore(
      folder: folders.packs, catalogue: Catalogue(at: Installation().packs.appending(path: "catalogue.json")))
    vault = try Vault(folders)
    governor = Governor(sensors: sensors, device: Device.current, settings: settings)
  }

  package func open() async {
    do { try packs.clean() } catch { await note(error, in: "packs") }
    await governor.start()
  }

  /// Ends every worker; the memory is back when this returns.
  package func close() async {
    await stopWatching()
    await awaitTurns()
    await governor.stop()
    for model in models.values { await model.unload() }
    models = [:]
    await transcriber?.unload()
    await launcher?.stop()
  }

  /// Keeps an error in the log, unless a person stopped the work or asked for what does not exist.
  func note(_ error: any Error, in subsystem: String) async {
    guard !(error is CancellationError), !["usage", "cancelled"].contains(RemoteError(error).code) else { return }
    // A log that cannot be written must not hide the error that was to be written.
    do { try await errors.record(error, in: subsystem) } catch { return }
  }

  package func serves(_ page: (@Sendable () -> String)?) { self.page = page }

  func change(setting name: String, to json: String) async throws -> Settings {
    let changed = try settings.setting(name, to: json)
    try changed.write(to: folders.settings)
    settings = changed
    await governor.use(changed)
    return changed
  }

  // MARK: Models

  /// The chat pack an answer would be written with: asked for, set, or the best of those installed that fits.
  func chatPack(asked: String?, preference: PackPreference) throws -> PackStatus {
    if let id = asked ?? settings.pack {
      let status = try packs.status(of: id)
      guard status.installed != nil else { throw PackError.notInstalled(id) }
      return status
    }
    let chat = try packs.list().filter { $0.pack.kind == .chat && $0.installed != nil }
    let fitting = chat.filter(\.fit.fits).sorted { $0.pack.parameters < $1.pack.parameters }
    guard let chosen = preference == .fastest ? fitting.first : fitting.last ?? chat.first else {
      throw AssistantError.noChatPack(chat.first?.fit.reason)
    }
    return chosen
  }

  /// The pack's model, loaded; admitted by the governor first. `progress` runs from 0 to 1 while it loads.
  func model(_ status: PackStatus, limits: Limits, progress: @escaping @Sendable (Double) -> Void) async throws
    -> TextModel
  {
    let id = status.pack.id
    if let model = models[id], await model.info != nil { return model }
    await renewLayout(id, progress: progress)
    var request = LoadRequest(contextTokens: min(status.fit.context, limits.contextTokens.value))
    tuning[id].apply(to: &request)
    if let threads = settings.threads { request.threads = threads }
    request.embeddings = status.pack.kind == .embed
    request.gpu = settings.compute != .cpu
    let model = try TextModel(pack: packs.weights(of: id), request: request)
    try await governor.admit(id, bytes: UInt64(max(0, status.fit.footprintBytes)))
    models[id] = model
    do {
      for try await event in model.load() {
        if case .progress(let share) = event { progress(share) }
      }
    } catch {
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

  private func forget(_ id: String) { models[id] = nil }

  func keep(_ row: Tuning.Row, for id: String) throws {
    try tuning.keep(for: id) { entry in
      (entry.threads, entry.microBatch, entry.kvType) = (row.threads, row.microBatch, row.kvType)
      entry.promptSpeed = row.promptTokensPerSecond
    }
  }

  func unload(_ id: String) async {
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
    await governor.use(settings)
  }

  /// What the loaded workers found when they tried their locks.
  package func workerSeals() async -> [String: SealReport] {
    var seals: [String: SealReport] = [:]
    for (id, model) in models { seals[id] = await model.seal }
    return seals
  }

  /// Prompt tokens per second, as last measured on this device or as the catalogue expects: what the evidence budget goes by.
  func promptSpeed(asked: String?) -> Double? {
    do {
      let pack = try chatPack(asked: asked, preference: .fastest).pack
      return tuning[pack.id].promptSpeed ?? pack.throughput?.prompt
    } catch { return nil }  // no pack: nothing will be read
  }

  func measured(promptSpeed: Double, of id: String) throws { try tuning.keep(for: id) { $0.promptSpeed = promptSpeed } }
}

extension Device {
  package static var current: Device {
    Device(
      totalMemory: ProcessInfo.processInfo.physicalMemory, cores: ProcessInfo.processInfo.activeProcessorCount)
  }
}

/// What can stand in the way of an answer besides its rooms' own errors.
package enum AssistantError: Explained {
  case noChatPack(String?)
  case noEmbedder
  case noSpeechPack
  case notListening
  case soundMissing(expected: Int)
  case heavyInferenceRefused(String)
  case offline
  case ownerSilent
  case restoreRefused
  case simulationElsewhere(Int32)
  case noOperation(String)
  case smokeNeedsChat(String)

  package var code: String {
    switch self {
    case .noChatPack: "chat_pack_missing"
    case .noEmbedder: "embedding_pack_missing"
    case .noSpeechPack: "speech_pack_missing"
    case .notListening: "dictation_over"
    case .soundMissing: "sound_missing"
    case .heavyInferenceRefused: "heavy_inference_refused"
    case .offline: "offline_refused"
    case .ownerSilent: "owner_silent"
    case .restoreRefused: "restore_refused"
    case .simulationElsewhere: "simulation_refused"
    case .noOperation: "operation_not_found"
    case .smokeNeedsChat: "smoke_refused"
    }
  }
  package var message: String {
    switch self {
    case .noChatPack(nil): "No chat pack is installed."
    case .noChatPack(let reason?): "No installed chat pack fits: \(reason)"
    case .noEmbedder: "No embedding pack is installed."
    case .noSpeechPack: "No speech pack is installed, or none for finding where speech is."
    case .notListening: "This dictation is over."
    case .soundMissing(let expected): "Sound is missing: byte \(expected) is next."
    case .heavyInferenceRefused(let reason): "No model may run now: \(reason)."
    case .offline: "Nothing can be fetched: this program was started without a launcher."
    case .ownerSilent: "Another libera owns this data folder and does not answer."
    case .restoreRefused: "Another libera works with this data folder."
    case .simulationElsewhere(let process):
      "The process \(process) owns this data folder, and its sensors are not replaced from here."
    case .noOperation(let name): "There is no operation \"\(name)\"."
    case .smokeNeedsChat(let id): "The pack \(id) does not write text, so it cannot be tried this way."
    }
  }
  package var remedy: String? {
    switch self {
    case .noChatPack: "\"libera packs list\" shows what there is; \"libera packs pull ID\" fetches one."
    case .noEmbedder:
      "\"libera packs pull all-minilm-l6-v2-f16\" fetches one; until then documents are found by their words."
    case .noSpeechPack:
      "\"libera packs pull whisper-base-f16 whisper-tiny.en-f16 silero-vad-6.2.0\" fetches what is needed."
    case .notListening: "Start a new one."
    case .soundMissing: "Send what is missing."
    case .heavyInferenceRefused: "Wait until the device has recovered; quotations from your documents still work."
    case .offline: "Fetch packs with \"libera packs pull\" from a terminal."
    case .ownerSilent, .restoreRefused: "Wait until it has ended, or end it."
    case .simulationElsewhere: "Start that process with --simulate, or end it first."
    case .noOperation: "The two programs may be of different versions: start the owner again."
    case .smokeNeedsChat: "\"libera packs verify\" checks its files."
    }
  }
}
