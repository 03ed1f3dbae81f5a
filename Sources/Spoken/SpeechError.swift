import Core

package enum SpeechError: Explained, Equatable {
  case unreadable(String)
  case unsupported(String)
  case tooMuch(String)
  case modelBroken(String)
  case notLoaded
  case microphoneInUse
  case decodeFailed(Int32)
  case unknownLanguage(String)
  case unknownOperation(String)
  case noVoice
  case noDecoder(String)

  package var code: String {
    switch self {
    case .unreadable: "sound_unreadable"
    case .unsupported: "sound_unsupported"
    case .tooMuch: "sound_too_much"
    case .modelBroken: "speech_pack_broken"
    case .notLoaded: "speech_not_loaded"
    case .microphoneInUse: "microphone_in_use"
    case .decodeFailed: "speech_failed"
    case .unknownLanguage: "language_unknown"
    case .unknownOperation: "operation_unknown"
    case .noVoice: "voice_missing"
    case .noDecoder: "sound_decoder_missing"
    }
  }
  package var message: String {
    switch self {
    case .unreadable(let why): "The sound cannot be read: \(why)."
    case .unsupported(let what): "Sound in this form is not supported: \(what)."
    case .tooMuch(let what): "The sound is refused: \(what)."
    case .modelBroken(let pack): "The speech pack \(pack) cannot be loaded."
    case .notLoaded: "No speech pack is loaded."
    case .microphoneInUse: "Another page or program is dictating already."
    case .decodeFailed(let code): "Recognition failed (whisper.cpp returned \(code))."
    case .unknownLanguage(let language): "The speech pack does not know the language \"\(language)\"."
    case .unknownOperation(let name): "The speech worker has no operation \"\(name)\"."
    case .noVoice: "Nothing here reads aloud: espeak-ng is not installed."
    case .noDecoder(let why): "M4A, AAC, WebM and MP4 are read with FFmpeg's libraries, which cannot be used: \(why)."
    }
  }
  package var remedy: String? {
    switch self {
    case .unreadable: "Check that the file plays elsewhere, or convert it to WAV."
    case .unsupported:
      "WAV, FLAC, Ogg (Vorbis, Opus) and MP3 are read, with FFmpeg also M4A, AAC, WebM and MP4; convert it to one of them."
    case .tooMuch: "Cut it into smaller pieces."
    case .modelBroken: "Verify it: libera packs verify."
    case .notLoaded: "Install one: libera packs pull whisper-base-q8_0."
    case .microphoneInUse: "Stop it there first."
    case .decodeFailed: "Try again; if it happens again, verify the pack."
    case .unknownLanguage: "Use a code such as en, de or fr, or auto; tiny.en knows English only."
    case .unknownOperation: nil
    case .noDecoder: "Install them with the system's packages (apt install ffmpeg), or convert the file to WAV."
    case .noVoice: "Install a voice with the system's packages: apt install espeak-ng, or brew install espeak-ng."
    }
  }
}
