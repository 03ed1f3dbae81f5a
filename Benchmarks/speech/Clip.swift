import Foundation
import Speech

/// A short piece of sound, and what was said in it where that is known.
struct Clip {
  var name: String
  var file: URL
  var said: String?
  var samples: [Float]

  var seconds: Double { Sound.seconds(samples.count) }

  /// Where the last sound louder than a hundredth of the loudest ends.
  var endOfSpeech: Double {
    let loudest = samples.map(abs).max() ?? 0
    return Sound.seconds((samples.lastIndex { abs($0) > loudest / 100 } ?? 0) + 1)
  }

  init(_ file: URL, said: String?) throws {
    name = file.deletingPathExtension().lastPathComponent
    self.file = file
    self.said = said
    let bytes = [UInt8](try Data(contentsOf: file))
    let wave = try WaveFile(fileSize: bytes.count) {
      Array(bytes[min($0, bytes.count)..<min($0 + $1, bytes.count)])
    }
    guard let wave else { throw SpeechError.unreadable(file.path) }
    var decoder = try PCMDecoder(wave.format)
    samples = decoder.decode(bytes[wave.offset..<(wave.offset + wave.length)]) + decoder.finish()
  }

  static func recorded(in folder: URL) throws -> [Clip] {
    try files(in: folder).map { file in
      let text = file.deletingPathExtension().appendingPathExtension("txt")
      return try Clip(file, said: String(contentsOf: text, encoding: .utf8))
    }
  }

  /// People's voices without a published text: what can be compared is whether two ways of recognising agree.
  static func untranscribed(in folder: URL) throws -> [Clip] {
    guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
    return try files(in: folder).map { try Clip($0, said: nil) }.filter { $0.seconds >= 1 }
  }

  private static func files(in folder: URL) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "wav" }.sorted { $0.path < $1.path }
  }

  /// Sentences from a file of JSON lines with "text", spoken by flite's voices in turn.
  static func spoken(by voices: [String], from file: URL, words: Int) throws -> [Clip] {
    struct Line: Decodable { var text: String }
    let folder = FileManager.default.temporaryDirectory.appending(path: "bench-speech-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var clips: [Clip] = []
    var count = 0
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") where count < words {
      let text = try JSONDecoder().decode(Line.self, from: Data(line.utf8)).text
      let length = text.split(separator: " ").count
      guard length >= 5, text.allSatisfy({ $0.isLetter || $0 == " " }) else { continue }
      let sound = folder.appending(path: "\(clips.count).wav")
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/flite")
      process.arguments = ["-voice", voices[clips.count % voices.count], "-t", text, "-o", sound.path]
      try process.run()
      process.waitUntilExit()
      clips.append(try Clip(sound, said: text))
      count += length
    }
    return clips
  }
}
