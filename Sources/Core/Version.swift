/// The product's version; a change of its first number may change what `--json` means.
package enum Version {
  package static let current = "0.1.0"
}
