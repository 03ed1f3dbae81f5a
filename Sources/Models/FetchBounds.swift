/// Where the worker with a network may go and what it may run: what the catalogue names, with the tools that were found when the
/// launcher began. Whoever asks it may choose among that and add nothing, so no address carries words out of the house.
package struct FetchBounds: Sendable {
  private let urls: Set<String>
  private let packages: [Pack.PackageFile]
  private let tools: Tools?

  package init(_ catalogue: Catalogue, _ tools: Tools?) {
    let parts = catalogue.packs.flatMap(\.sources).flatMap(\.files).flatMap(\.parts)
    urls = Set(parts.compactMap(\.url))
    packages = parts.compactMap(\.package)
    self.tools = tools
  }

  package func check(_ url: String?, _ package: Pack.PackageFile?) throws {
    if let url, !urls.contains(url) { throw PackError.notInCatalogue(url) }
    if let package, !packages.contains(package) { throw PackError.notInCatalogue(package.name) }
  }

  package func check(_ asked: Tools?) throws {
    guard let asked else { return }
    guard asked == tools else { throw PackError.notInCatalogue(asked.python) }
  }
}
