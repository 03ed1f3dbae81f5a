import Core

/// What can stand in the way of an answer besides its rooms' own errors.
package enum AssistantError: Explained {
  case noChatPack
  case noEmbedder
  case noSpeechPack
  case notListening
  case soundMissing(expected: Int)
  case heavyInferenceRefused(String)
  case offline
  case ownerSilent
  case folderInUse
  case restoreRefused
  case simulationElsewhere(Int32)
  case noOperation(String)
  case smokeNeedsChat(String)
  case noSession(String)
  case allowanceSpent
  case indexingDeferred(String)
  case partlyRead(String, Int, of: Int)
  case leaving
  case servesNobody(Int32)

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
    case .folderInUse: "folder_in_use"
    case .restoreRefused: "restore_refused"
    case .simulationElsewhere: "simulation_refused"
    case .noOperation: "operation_not_found"
    case .smokeNeedsChat: "smoke_refused"
    case .noSession: "session_not_found"
    case .allowanceSpent: "allowance_refused"
    case .indexingDeferred: "indexing_deferred"
    case .partlyRead: "export_partly_read"
    case .leaving: "leaving"
    case .servesNobody: "upgrade_refused"
    }
  }
  package var message: String {
    switch self {
    case .noChatPack: "No chat pack is installed."
    case .noEmbedder: "No embedding pack is installed."
    case .noSpeechPack: "No speech pack is installed, or none for finding where speech is."
    case .notListening: "This dictation is over."
    case .soundMissing(let expected): "Sound is missing: byte \(expected) is next."
    case .heavyInferenceRefused(let reason): "No model may run now: \(reason)."
    case .offline: "Nothing can be fetched: this program starts nothing that has a network."
    case .ownerSilent: "Another libera owns this data folder and does not answer."
    case .folderInUse: "Another program works with this data folder."
    case .restoreRefused: "Another libera works with this data folder."
    case .simulationElsewhere(let process):
      "The process \(process) owns this data folder, and its sensors are not replaced from here."
    case .noOperation(let name): "There is no operation \"\(name)\"."
    case .smokeNeedsChat(let id): "The pack \(id) does not write text, so it cannot be tried this way."
    case .noSession(let id): "No browser is let in under \(id)."
    case .allowanceSpent: "The \(PreviewLedger.free) preview runs of local packs are used up."
    case .indexingDeferred(let reason): "Its meaning is indexed later: \(reason)."
    case .partlyRead(let path, let unread, let all):
      "\(unread) of \(all) entries in \(path) are no conversations that can be read; all others were taken in."
    case .leaving: "This program is about to end: another version or a backup takes its place."
    case .servesNobody(let process): "A conversation or another command runs (process \(process))."
    }
  }
  package var remedy: String? {
    switch self {
    case .noChatPack: "\"libera packs list\" shows what there is; \"libera packs pull ID\" fetches one."
    case .noEmbedder:
      "\"libera packs pull all-minilm-l6-v2-f16\" fetches one; until then documents are found by their words."
    case .noSpeechPack:
      "\"libera packs pull whisper-base-q8_0 whisper-tiny.en-q8_0 silero-vad-6.2.0\" fetches what is needed."
    case .notListening: "Start a new one."
    case .soundMissing: "Send what is missing."
    case .heavyInferenceRefused: "Wait until the device has recovered; quotations from your documents still work."
    case .offline: "Hand it the pack's file or a bundle, or fetch packs with \"libera packs pull\" from a terminal."
    case .ownerSilent, .folderInUse, .restoreRefused: "Wait until it has ended, or end it."
    case .simulationElsewhere: "Start that process with --simulate, or end it first."
    case .noOperation: "The two programs may be of different versions: start the owner again."
    case .noSession: "\"libera sessions list\" shows those that are."
    case .smokeNeedsChat: "\"libera packs verify\" checks its files."
    case .allowanceSpent:
      "Answers quoted from your documents go on; \"libera settings set tier lifetime\" lifts the limit."
    case .partlyRead: nil
    case .leaving: "Ask again in a moment, when it runs again."
    case .servesNobody: "End it first: a conversation with Ctrl-D."
    case .indexingDeferred: "The next import, or a server that runs, makes up for it."
    }
  }
}
