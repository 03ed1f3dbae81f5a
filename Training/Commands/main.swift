import Commands
import Foundation

// train-commands CORPORA-FOLDER AUTHORED-FILE OUTPUT [--errors]
let arguments = CommandLine.arguments
guard arguments.count >= 4 else {
  print("usage: train-commands FOLDER-WITH-CORPORA authored.txt intents.bin [--errors]")
  exit(2)
}
let folder = URL(filePath: arguments[1], directoryHint: .isDirectory)
let showErrors = arguments.contains("--errors")
var random = Random(state: 20_260_610)

guard let zone = TimeZone(identifier: "Europe/Berlin"),
  let resolver = TimeResolver(local: "2026-06-10T09:30:00", zone: zone)
else {
  exit(1)
}

let hwu = try Corpus.load(folder.appending(path: "hwu64-clean.jsonl"), source: "hwu64")
let known = Set(hwu.map(\.text))
// What stands in both collections word for word would not be another source.
let slurp = try Corpus.load(folder.appending(path: "slurp-devel.jsonl"), source: "slurp").filter {
  !known.contains($0.text)
}
let authored = try Corpus.authored(URL(filePath: arguments[2]), perTemplate: 9, random: &random)
print(
  "hwu64 \(hwu.count), slurp (not in hwu64) \(slurp.count), authored \(authored.count) of \(Set(authored.map(\.group)).count) templates"
)

/// Clean and, for commands and all authored lines, a noisy copy.
@MainActor func prepared(_ examples: [Example]) -> [(features: [Int], label: String)] {
  var result: [(features: [Int], label: String)] = []
  for example in examples {
    result.append((Utterance(example.text, resolver).featureIndices, example.label))
    if example.intent != .none || example.source == "authored" {
      result.append((Utterance(SpeechNoise.applied(example.text, &random), resolver).featureIndices, example.label))
    }
  }
  return result
}

@MainActor func noisy(_ examples: [Example]) -> [Example] {
  examples.map { example in
    var copy = example
    copy.text = SpeechNoise.applied(example.text, &random)
    return copy
  }
}

let even = authored.filter { $0.group % 2 == 0 }
let odd = authored.filter { $0.group % 2 == 1 }
let trainer = Trainer()
let preparedHwu = prepared(hwu)
let preparedSlurp = prepared(slurp)
let preparedEven = prepared(even)
let preparedOdd = prepared(odd)

// Each source judged by a model that never saw it. The calibration is fitted on one half of the other source and measured
// on its other half, and the other way round.
@MainActor func judge(_ title: String, _ examples: [Example], _ others: [Example], by model: IntentModel) -> Evaluation
{
  let folds = (0..<2).map { fold in examples.filter { $0.group / 2 % 2 == fold } }
  let extra = (0..<2).map { fold in others.filter { $0.group / 2 % 2 == fold } }
  var main = Evaluation([], model, resolver)
  var rest = main
  for fold in 0..<2 {
    var model = model
    model.calibration = Trainer.calibrate(
      Evaluation(folds[1 - fold] + extra[1 - fold], model, resolver).calibrationSamples)
    main.judged += Evaluation(folds[fold], model, resolver).judged
    rest.judged += Evaluation(extra[fold], model, resolver).judged
    if fold == 1 {
      let noise = Evaluation(noisy(folds[1]), model, resolver)
      show(title + ", half of it with speech-like noise", noise)
    }
  }
  show(title, main)
  show("the same model on the other half of the templates", rest)
  return Evaluation(examples + others, model, resolver)
}

@MainActor func show(_ title: String, _ evaluation: Evaluation) {
  print("\n" + title)
  for line in evaluation.report { print("  " + line) }
  guard showErrors else { return }
  for one in evaluation.judged
  where one.result.frame.intent != one.example.intent || one.example.intent != .none && !one.right {
    print(
      "    \(one.example.intent.rawValue) | \(one.example.text) | \(one.result.frame.json) \(one.result.veto?.rawValue ?? "")"
    )
  }
}

let fromHwu = trainer.train(preparedHwu + preparedEven, calibration: [], random: &random)
let onSlurp = judge("trained on hwu64 and half of the templates, judged on slurp", slurp, odd, by: fromHwu)
let fromSlurp = trainer.train(preparedSlurp + preparedOdd, calibration: [], random: &random)
_ = judge("trained on slurp and half of the templates, judged on hwu64", hwu, even, by: fromSlurp)

// Shipped: trained on everything, calibrated where the larger source judged the other.
let calibration = Trainer.calibrate(onSlurp.calibrationSamples)
let shipped = trainer.train(
  preparedHwu + preparedSlurp + preparedEven + preparedOdd, calibration: calibration, random: &random)
let data = try shipped.data()
try data.write(to: URL(filePath: arguments[3]))
let digest = data.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
print("\nwritten \(data.count) bytes, FNV-1a \(String(digest, radix: 16))")
print("calibration: " + zip(Evidence.names, calibration).map { "\($0) \($1)" }.joined(separator: ", "))
