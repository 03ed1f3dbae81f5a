package import Core

/// The owner of one data folder for this run: vault, packs, workers, governor. Everything a person can do is an `Operation`
/// run in it.
package actor House {
  package let folders: Folders
  package let errors: ErrorLog
  package private(set) var settings: Settings

  package init(folders: Folders) throws {
    self.folders = folders
    errors = ErrorLog(folders.errorLog)
    settings = try Settings(over: folders.settings)
  }

  func change(setting name: String, to json: String) throws -> Settings {
    let changed = try settings.setting(name, to: json)
    try changed.write(to: folders.settings)
    settings = changed
    return changed
  }
}
