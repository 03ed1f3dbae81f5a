import Foundation

/// Foundation's tables of languages end the program over the name of a locale whose language is longer than any language is,
/// and such a name can stand in the environment.
package enum LocaleNames {
  /// Replaces what cannot be the name of a locale by "C", before anything asks for one. Processes started later inherit it.
  /// Replaced, never added: Swift finds the command line by where the environment lies.
  package static func replaceImpossible() {
    for variable in ["LC_ALL", "LC_COLLATE", "LC_CTYPE", "LC_MESSAGES", "LC_MONETARY", "LC_NUMERIC", "LC_TIME", "LANG"]
    {
      guard let value = getenv(variable).map({ String(cString: $0) }), !value.isEmpty, !isPossible(value) else {
        continue
      }
      setenv(variable, "C", 1)
    }
  }

  /// A language of at most eight letters, then whatever there is of country, code and variant.
  static func isPossible(_ name: String) -> Bool {
    let language = name.utf8.prefix {
      ![UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "@")].contains($0)
    }
    return language.count <= 8 && name.utf8.count <= 64 && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
  }
}
