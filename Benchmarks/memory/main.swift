import Core
import Foundation
import Inference
import Retrieval
import Storage

// Called by Benchmarks/memory.py with a file of texts (JSON lines with `text`) and one of questions:
//   bench-memory embed PACK TEXTS            chunks and tokens per second through the embed worker
//   bench-memory ways                        the ways to compute that the encoder has on this processor
//   bench-memory vectors PACK TEXTS COUNT    the search among COUNT vectors drawn like those of the texts
//   bench-memory words TEXTS QUERIES COUNT   the search among COUNT chunks by words
// Prints one object.

struct Line: Decodable { var text: String }

func lines(_ path: String) throws -> [String] {
  try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map {
    try JSON.decode(Line.self, from: Data($0.utf8)).text
  }
}

func model(_ path: String) -> TextModel {
  var request = LoadRequest(contextTokens: 256)
  request.embeddings = true
  return TextModel(pack: URL(filePath: path), request: request)
}

let words = Array(CommandLine.arguments.dropFirst())
let home = FileManager.default.temporaryDirectory.appending(path: "bench-memory-\(UUID().uuidString)")
try Folders.make(home)
do {
  switch (words.first, words.count) {
  case ("embed", 3):
    let (model, texts) = (model(words[1]), try lines(words[2]))
    _ = try await model.embed(Array(texts.prefix(8)), long: .cut)
    let clock = ContinuousClock()
    var tokens = 0
    let time = try await clock.measure { tokens = try await model.embed(texts, long: .cut).report.tokens }
    let seconds = time / .seconds(1)
    print(try JSON.line(["chunks_per_s": Double(texts.count) / seconds, "tokens_per_s": Double(tokens) / seconds]))
  case ("ways", 1): print(try JSON.line(EncoderWay.names))
  case ("vectors", 4):
    let vectors = try await model(words[1]).embed(lines(words[2]), long: .cut)
    let sample = (0..<vectors.count).map { Array(vectors[$0]) }
    print(try JSON.line(try Speed(sample: sample, folder: home).report(Int(words[3]) ?? 10_000)))
  case ("words", 4):
    let queries = try lines(words[2]).map { Question($0).words }
    print(
      try JSON.line(
        try await Words(texts: lines(words[1]), queries: queries, folder: home).report(Int(words[3]) ?? 10_000)))
  default:
    FileHandle.standardError.write(Data("bench-memory is started by ./libera bench memory\n".utf8))
    exit(64)
  }
} catch {
  try? FileManager.default.removeItem(at: home)  // what failed is said below, a leftover folder is nothing beside it
  throw error
}
try FileManager.default.removeItem(at: home)
