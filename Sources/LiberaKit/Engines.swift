import DocumentEngine
import Documents
import SpeechEngine
import TextEngine
import Workers

/// Where models and parsers run.
public enum Engines: Sendable {
  /// In threads of this program: the way for apps, which start no processes on iPhone and iPad.
  case inProgram
  /// Each in a sealed process of its own, started from `libera-worker`: what a document or a pack does there cannot reach this
  /// program. For programs on a desktop where LiberaGPT is installed.
  case sealedProcesses

  /// - Parameter recogniser: Who reads pictures in the program; what runs in processes of its own brings its own along.
  func host(recogniser: (any TextRecogniser)? = nil) -> WorkerHost {
    switch self {
    case .inProgram:
      .threads { kind in
        switch kind {
        case .chat, .embed: TextEngine()
        case .speech: SpeechEngine()
        case .sound: SoundDecoder()
        case .parse: DocumentEngine(recogniser: recogniser)
        case .convert, .fetch, .echo: throw WorkerError.noEngine(kind.rawValue)
        }
      }
    case .sealedProcesses: .processes
    }
  }
}
