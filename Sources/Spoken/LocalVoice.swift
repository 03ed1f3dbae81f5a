package import Foundation
import Workers

/// Words as sound, by the system's own espeak-ng: a process of its own for each text, never linked, without a network.
package enum LocalVoice {
  /// More is cut into several by whoever wants it read.
  package static let longest = 4000
  /// What one text can become at most: some minutes.
  private static let most = 64 << 20

  package static var program: String? { Filter.find("espeak-ng") }

  /// A WAV file. `language`: a code such as "en".
  package static func say(_ text: String, language: String) async throws -> Data {
    // A character may bear marks without end; the pipe to the program takes 64 kB.
    let signs = text.unicodeScalars.count
    guard signs <= longest else { throw SpeechError.tooMuch("a text of \(signs) characters to be read aloud") }
    guard let program else { throw SpeechError.noVoice }
    let voice = language.allSatisfy { $0.isASCII && ($0.isLetter || $0 == "-") } ? language : "en"
    let sound = try await Filter.run(
      program, ["-v", voice, "--stdin", "--stdout"], input: Data(text.utf8), most: most)
    return try whole(sound)
  }

  /// What is written to a pipe does not know its own length; a player wants it.
  static func whole(_ sound: Data) throws -> Data {
    let wave = try WaveFile(fileSize: sound.count) { Array(sound.dropFirst($0).prefix($1)) }
    guard let wave, wave.format.encoding == .signed16 else { throw SpeechError.unreadable("the voice gave no sound") }
    let frame = wave.format.frameBytes
    let samples = sound.dropFirst(wave.offset).prefix(wave.length / frame * frame)
    func little(_ value: Int, _ bytes: Int) -> [UInt8] { (0..<bytes).map { UInt8(value >> (8 * $0) & 255) } }
    var file = Data("RIFF".utf8) + little(36 + samples.count, 4) + Data("WAVEfmt ".utf8) + little(16, 4)
    file += little(1, 2) + little(wave.format.channels, 2) + little(wave.format.rate, 4)
    file += little(wave.format.rate * frame, 4) + little(frame, 2) + little(16, 2)
    return file + Data("data".utf8) + little(samples.count, 4) + samples
  }
}
