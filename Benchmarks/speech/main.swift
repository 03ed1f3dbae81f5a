import Foundation
import Speech

// How well and how soon speech becomes words, beside whisper.cpp's own way of doing it, in one run.
//   bench-speech --packs FOLDER [--recordings FOLDER] [--prompts FOLDER] [--sentences FILE] [--out FOLDER] [--quick]
// Needs whisper-base.bin, whisper-tiny.en.bin and silero.bin in the packs folder; sentences are spoken by `flite`.

var options: [String: String] = [:]
var arguments = CommandLine.arguments.dropFirst()
while let word = arguments.popFirst() {
  guard word.hasPrefix("--") else { continue }
  let name = String(word.dropFirst(2))
  if let value = arguments.first, !value.hasPrefix("--") {
    options[name] = value
    arguments.removeFirst()
  } else {
    options[name] = ""
  }
}

let cache = ProcessInfo.processInfo.environment["XDG_CACHE_HOME"] ?? NSHomeDirectory() + "/.cache"
let packs = URL(filePath: options["packs"] ?? cache + "/libera/test-packs")
let threads = options["threads"].flatMap(Int.init) ?? ProcessInfo.processInfo.activeProcessorCount
let isQuick = options["quick"] != nil
let transcriber = Transcriber(
  packs: SpeechPacks(
    final: .init(id: "whisper-base", file: packs.appending(path: "whisper-base.bin")),
    partial: .init(id: "whisper-tiny.en", file: packs.appending(path: "whisper-tiny.en.bin")),
    voice: .init(id: "silero", file: packs.appending(path: "silero.bin"))), threads: threads)
let loaded = try await transcriber.load()
let folder = URL(filePath: options["out"] ?? "Benchmarks/speech")
// Now rather than after half an hour of measuring.
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
var report = Report(threads: threads, loadMs: loaded.loadMs)

let recordings = URL(filePath: options["recordings"] ?? "../shared/data/speech/piper")
let commands = try Clip.recorded(in: recordings)
if options["only"] != "accuracy" {
  report.latency = try await Latency(transcriber).measure(isQuick ? Array(commands.prefix(6)) : commands)
  report.falseWords = try await FalseWords(transcriber, minutes: isQuick ? 1 : 10).measure()
}
if options["only"] != "latency" {
  let peer = try WhisperAsItComes(packs.appending(path: "whisper-base.bin").path, threads: threads)
  let accuracy = Accuracy(transcriber, peer)
  try await report.accuracy.append(accuracy.measure("recorded commands", commands))
  if let file = options["sentences"] {
    let spoken = try Clip.spoken(
      by: ["slt", "rms", "awb", "kal16"], from: URL(filePath: file), words: isQuick ? 150 : 3000)
    try await report.accuracy.append(accuracy.measure("synthetic sentences", spoken))
  }
  let prompts = URL(filePath: options["prompts"] ?? "/usr/share/asterisk/sounds/en_US_f_Allison")
  let human = try Clip.untranscribed(in: prompts)
  if !human.isEmpty {
    try await report.accuracy.append(accuracy.measure("human prompts", isQuick ? Array(human.prefix(20)) : human))
  }
}
try report.write(to: folder)
print(report.markdown)
await transcriber.unload()
