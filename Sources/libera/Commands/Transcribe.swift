import Assistant
import Core
import Foundation

enum TranscribeCommand: Command {
  static let name = "transcribe"
  static let summary = "recordings to words, on this device"
  static let examples = ["libera transcribe meeting.wav", "libera transcribe talk.flac --srt --language de"]
  static let usage = "FILE..."
  static let options: [Arguments.Option] = [
    .value("--language", "CODE", "en, de, …, or auto to find it from the sound"),
    .value("--pack", "ID", "the speech pack; otherwise the best that the device can bear"),
    .flag("--srt", "print subtitles"),
  ]

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    guard !arguments.words.isEmpty else { throw UsageError.missing("A recording") }
    let (terminal, door) = (context.terminal, try await context.door())
    let language = arguments.text("--language")
    let asSubtitles = arguments.has("--srt")
    for path in arguments.words {
      var input = Transcribe.Input(path: URL(filePath: path).standardizedFileURL.path, language: language)
      input.pack = arguments.text("--pack")
      try await Interrupt.cancelling { [input] in
        for try await event in door.call(Transcribe.self, input) {
          var event = event
          event.file = path
          try context.show(event) {
            terminal.line(asSubtitles ? event.subtitles : event.text)
            if let remark = event.remark { terminal.note("  \(told(remark))") }
          }
        }
      }
    }
  }
}
