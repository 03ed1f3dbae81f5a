package import Core

/// The owner of one data folder for this run: vault, packs, workers, governor. Everything a person can do is an `Operation`
/// run in it.
package actor House {
  package let folders: Folders
  package private(set) var settings: Settings

  package init(folders: Folders) throws {
    self.folders = folders
    settings = try Settings(over: folders.settings)
  }
}
