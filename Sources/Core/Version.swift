/// The product's version; a change of its first number may change what `--json` means.
package enum Version {
  package static let current = "0.2.0"
  /// The llama.cpp that Engine/pins fetches; weights laid out by another are laid out again.
  package static let engine = "0.5.0"
}
