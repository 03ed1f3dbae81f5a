/// Where the worker with a network may go: what the catalogue names, and what a terminal has named. Whoever asks it
/// may choose among that and add nothing, so no address carries words out of the house.
package struct FetchBounds: Sendable {
  private let urls: Set<String>
  private let packages: [Pack.PackageFile]
  private let repositories: Set<String>
  private let release: String?

  /// `release`: the version of this program that a terminal has named for this one run.
  package init(_ catalogue: Catalogue, repositories: [String] = [], release: String? = nil) {
    self.repositories = Set(repositories)
    self.release = release
    let parts = catalogue.packs.flatMap(\.sources).flatMap(\.files).flatMap(\.parts)
    urls = Set(parts.compactMap(\.url))
    packages = parts.compactMap(\.package)
  }

  package func check(repository: String) throws {
    guard repositories.contains(repository) else { throw PackError.repositoryNotNamed(repository) }
  }

  package func check(release url: String) throws {
    guard url == release else { throw PackError.notInCatalogue(url) }
  }

  package func check(_ url: String?, _ package: Pack.PackageFile?) throws {
    if let url, !urls.contains(url), url != release { throw PackError.notInCatalogue(url) }
    if let package, !packages.contains(package) { throw PackError.notInCatalogue(package.name) }
  }
}
