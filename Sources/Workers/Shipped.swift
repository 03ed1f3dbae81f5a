import Foundation

/// What a package brings along beside its programs and a checkout does not have, told to the workers by the variables that their
/// libraries read: text recognition's languages, and the part of the engine that computes in the form for this processor.
///
/// Without any of it the libraries beside the programs are used, which every processor runs, and what the system has.
package enum Shipped {
  /// What is compiled for processors that can do more than every x86-64 processor can, the best last, and what they must be able
  /// to do, as Linux names it. Packaging/engine.sh compiles them.
  static let forms: [(name: String, needs: Set<String>)] = [
    ("x86-64-v3", v3),
    ("x86-64-v4-vnni", v3.union(["avx512f", "avx512cd", "avx512vl", "avx512dq", "avx512bw", "avx512_vnni"])),
  ]
  private static let v3: Set = ["sse4_2", "avx", "f16c", "fma", "avx2", "bmi2"]

  /// Names a lesser form to be used, or "x86-64" for none; to find out whether the form is to blame for something.
  static let variable = "LIBERA_PROCESSOR"

  /// What a worker is given in its environment. What the person has set stays.
  package static func environment(
    _ given: [String: String], beside folder: String, abilities: Set<String> = abilities,
    exists: (String) -> Bool = { access($0, F_OK) == 0 }
  ) -> [String: String] {
    var environment = given
    let languages = folder + "/tessdata"
    if given["TESSDATA_PREFIX"] == nil, exists(languages) { environment["TESSDATA_PREFIX"] = languages }
    if let name = form(abilities, atMost: given[variable]), exists("\(folder)/\(name)") {
      environment["LD_LIBRARY_PATH"] = (["\(folder)/\(name)"] + [given["LD_LIBRARY_PATH"]].compactMap(\.self))
        .joined(separator: ":")
    }
    return environment
  }

  /// The best form that a processor can run.
  static func form(_ abilities: Set<String>, atMost named: String? = nil) -> String? {
    var best: String?
    if named == "x86-64" { return best }
    for form in forms {
      if form.needs.isSubset(of: abilities) { best = form.name }
      if form.name == named { break }
    }
    return best
  }

  /// What Linux says this processor can do; nothing elsewhere.
  package static let abilities: Set<String> = {
    #if os(Linux) && arch(x86_64)
      do { return abilities(in: try String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) } catch { return [] }
    #else
      return []
    #endif
  }()

  static func abilities(in description: String) -> Set<String> {
    let line = description.split(separator: "\n").first { $0.hasPrefix("flags") } ?? ""
    return Set(line.split { $0.isWhitespace || $0 == ":" }.dropFirst().map(String.init))
  }
}
