/// The last provider: never blank, never pretending. It says what could not be done, why, and what to try.
enum Templates {
  static func answer(to input: Ask.Input, notes: [LimitNote]) -> String {
    let reasons = notes.map { "- \($0.reason)" }
    return
      (["This cannot be answered here now."] + (reasons.isEmpty ? [] : ["Why:"] + reasons) + [
        "What to try: \"libera doctor\" shows what is missing and how to mend it; \"libera packs list\" shows the models there are."
      ]).joined(separator: "\n")
  }
}
