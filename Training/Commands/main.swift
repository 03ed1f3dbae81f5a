import Commands
import Foundation

// train-commands CORPORA TRAINING-FOLDER OUTPUT [--readings FOLDER] [--errors]
// train-commands CORPORA TRAINING-FOLDER OUTPUT --examples    writes what tune.py learns from
// train-commands --times FOLDER    how long the resolver takes for the expressions of the public suites
let arguments = CommandLine.arguments
guard let zone = TimeZone(identifier: "Europe/Berlin"),
  let resolver = TimeResolver(local: "2026-06-10T09:30:00", zone: zone)
else { exit(1) }
if arguments.count == 3, arguments[1] == "--times" {
  for line in try Times.run(URL(filePath: arguments[2], directoryHint: .isDirectory), zone) { print(line) }
  exit(0)
}
guard arguments.count >= 4 else {
  print(
    "usage: train-commands FOLDER-WITH-CORPORA Training intents.bin [--readings FOLDER] [--errors]"
      + " | FOLDER-WITH-CORPORA Training examples.jsonl --examples | --times FOLDER"
  )
  exit(2)
}
let folder = URL(filePath: arguments[1], directoryHint: .isDirectory)
let own = URL(filePath: arguments[2], directoryHint: .isDirectory)
let showErrors = arguments.contains("--errors")
let readingsFolder = arguments.firstIndex(of: "--readings").flatMap {
  arguments.indices.contains($0 + 1) ? URL(filePath: arguments[$0 + 1], directoryHint: .isDirectory) : nil
}
var random = Random(state: 20_260_610)

let hwu = try Corpus.load(folder.appending(path: "hwu64-clean.jsonl"), source: "hwu64")
let known = Set(hwu.map(\.text))
// What stands in both collections word for word would not be another source.
let slurp = try Corpus.load(folder.appending(path: "slurp-devel.jsonl"), source: "slurp").filter {
  !known.contains($0.text)
}
let templates = try Corpus.authored(own.appending(path: "authored.txt"), perTemplate: 9, random: &random)
let written = try Corpus.utterances(own.appending(path: "utterances.txt"))
print(
  "hwu64 \(hwu.count), slurp (not in hwu64) \(slurp.count), \(Set(templates.map(\.group)).count) templates as "
    + "\(templates.count) utterances, written \(written.count)")

if arguments.contains("--examples") {
  try Export.write(hwu + slurp + written + templates, to: URL(filePath: arguments[3]))
  exit(0)
}

@MainActor func readings(_ judge: String) throws -> Readings? {
  try readingsFolder.map { try Readings($0.appending(path: "readings-\(judge).bin")) }
}

/// An example as the prior learns it.
struct Prepared {
  var features: [Int]
  var label: String
}

/// Clean and, for commands and all our own lines, a noisy copy.
@MainActor func prepared(_ examples: [Example]) -> [Prepared] {
  var result: [Prepared] = []
  for example in examples {
    var texts = [example.text]
    if example.intent != .none || !["hwu64", "slurp"].contains(example.source) {
      texts.append(SpeechNoise.applied(example.text))
    }
    for text in texts {
      result.append(Prepared(features: ParsedUtterance(text, resolver).featureIndices, label: example.label))
    }
  }
  return result
}

@MainActor func trained(_ parts: [[Prepared]]) -> IntentModel {
  Trainer().train(parts.flatMap(\.self).map { ($0.features, $0.label) }, random: &random)
}

let sources = [(name: "hwu64", examples: hwu), (name: "slurp", examples: slurp), (name: "written", examples: written)]
let preparedSlurp = prepared(slurp)
let preparedWritten = prepared(written)
let preparedTemplates = prepared(templates)
let halves = (0..<2).map { half in hwu.filter { $0.group % 2 == half } }
let preparedHalves = halves.map { prepared($0) }

typealias Judgement = (alone: Evaluation, seconded: Evaluation)

@MainActor func judged(_ examples: [Example], by model: IntentModel, _ readings: Readings?, noisy: Bool) -> Judgement {
  let examples = examples.map { example in
    var copy = example
    if noisy { copy.text = SpeechNoise.applied(example.text) }
    return copy
  }
  return (
    Evaluation(examples, model, resolver, readings: nil), Evaluation(examples, model, resolver, readings: readings)
  )
}

// slurp and our own lines are judged by a model that saw nothing of them. hwu64, seven eighths of all data, is judged twice: by a
// model without any of it, for the record, and one half of it, for the calibration, by a model that learned from the other.
let judges = [
  trained([preparedSlurp, preparedWritten, preparedTemplates]),
  trained(preparedHalves + [preparedWritten, preparedTemplates]),
  trained(preparedHalves + [preparedSlurp, preparedTemplates]),
]
let read = try sources.map { try readings($0.name) }
let clean = sources.indices.map { judged(sources[$0].examples, by: judges[$0], read[$0], noisy: false) }
let heard = sources.indices.map { judged(sources[$0].examples, by: judges[$0], read[$0], noisy: true) }
let halfJudge = trained([preparedHalves[1], preparedSlurp, preparedWritten, preparedTemplates])
let halfRead = try readings("half")
let half = [false, true].map { judged(halves[0], by: halfJudge, halfRead, noisy: $0) }

/// Of 200 frames of HWU64 that were accepted at 0.91 twelve are called wrong; read by hand, ten of them are right and the label or
/// the marking is not ("remind me to order more soap" as no command). Ours were written with their labels. The prior alone stays as
/// careful as the labels make it.
let corpusSlips = 0.05

/// What the calibration of one source is fitted on: the others. slurp, judged by a model that is nearly the one that is shipped,
/// counts most; ours least, because most of what is no command among them was written to be mistaken for one.
@MainActor func samples(without place: Int?, alone: Bool) -> [Trainer.Sample] {
  let slips = alone ? 0 : corpusSlips
  let parts: [(judgements: [Judgement], weight: Double, slips: Double)] = [
    (place == 0 ? [] : half, 1, slips), (place == 1 ? [] : [clean[1], heard[1]], 2, slips),
    (place == 2 ? [] : [clean[2], heard[2]], 0.1, 0),
  ]
  return parts.flatMap { part in
    part.judgements.flatMap { (alone ? $0.alone : $0.seconded).calibrationSamples }
      .map { Trainer.Sample(values: $0.values, right: $0.right, weight: part.weight, slips: part.slips) }
  }
}

/// What speaks beside the encoder: numbers that mean the same on every source. With all of them, the calibration learns how many
/// reminders a source holds rather than how sure one is.
let seconded: Set<String> = [
  "constant", "encoder", "margin", "encoder agrees", "unexplained time words", "text", "clarity of time", "slots agree",
  "weakest word",
]

@MainActor func calibration(without place: Int?, alone: Bool) -> [Double] {
  let kept = IntentEvidence.names.map { alone || seconded.contains($0) }
  let shown = samples(without: place, alone: alone).map { sample in
    var sample = sample
    sample.values = zip(sample.values, kept).map { $1 ? $0 : 0 }
    return sample
  }
  // Chosen by the error of calibration on all three sources, each left out in turn: beside the encoder little of it is noise.
  return Trainer.calibrate(shown, shrinkage: alone ? 0.5 : 20)
}

@MainActor func show(_ title: String, _ evaluation: Evaluation, alone: Bool, without place: Int) -> Evaluation {
  var evaluation = evaluation
  evaluation.calibration = calibration(without: place, alone: alone)
  print("\n" + title)
  for line in evaluation.report { print("  " + line) }
  return evaluation
}

// The half of hwu64 that what it is judged by has not seen is the one to learn from: what is wrong there is told line by line.
for (title, judgement, alone) in [("prior alone", half[0].alone, true), ("prior and encoder", half[0].seconded, false)]
where alone || readingsFolder != nil {
  let judged = show("half of hwu64, \(title)", judgement, alone: alone, without: 0)
  guard showErrors else { continue }
  for one in judged.wrongs {
    print("    done: \(one.example.intent.rawValue) | \(one.example.text) | \(one.result.frame.json)")
  }
}

for (place, source) in sources.enumerated() {
  _ = show("\(source.name), prior alone", clean[place].alone, alone: true, without: place)
  guard readingsFolder != nil else { continue }
  let judged = show("\(source.name), prior and encoder", clean[place].seconded, alone: false, without: place)
  _ = show(
    "\(source.name) with speech-like noise, prior and encoder", heard[place].seconded, alone: false, without: place)
  guard showErrors else { continue }
  for one in judged.judged
  where one.result.frame.intent != one.example.intent || one.example.intent != .none && !one.right {
    print(
      "    \(one.example.intent.rawValue) | \(one.example.text) | \(one.result.frame.json) "
        + "\(one.result.veto?.rawValue ?? "") \(String(format: "%.3f", judged.confidence(one)))")
  }
}

// Shipped: trained on everything, calibrated on the sources as models judged them that had not seen them.
var shipped = trained(preparedHalves + [preparedSlurp, preparedWritten, preparedTemplates])
shipped.calibrationAlone = calibration(without: nil, alone: true)
if let readingsFolder {
  shipped.reader = try Heads.reader(readingsFolder.appending(path: "reader.json"))
  shipped.calibration = calibration(without: nil, alone: false)
}
let data = try shipped.data()
try data.write(to: URL(filePath: arguments[3]))
let digest = data.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
print("\nwritten \(data.count) bytes, FNV-1a \(String(digest, radix: 16))")
for (name, coefficients) in [("alone", shipped.calibrationAlone), ("seconded", shipped.calibration)] {
  print(
    "calibration \(name): " + zip(IntentEvidence.names, coefficients).map { "\($0) \($1)" }.joined(separator: ", "))
}
