import Commands
import Core
import Documents
import Foundation
import Synchronization

/// Where actions land and are remembered, and who does them.
final class ActionFiles: Sendable {
  let folder: URL
  let rules: Rules
  let history: History
  let journal: FileJournal
  /// Where calendars and mail that others wrote are read.
  let reader: ForeignFiles
  private let folders: Folders
  private let settings: CurrentSettings
  private let doing = Mutex<(places: Places, doer: ActionRunner)?>(nil)

  init(_ folders: Folders, _ settings: CurrentSettings, reader: ForeignFiles) {
    (self.folders, self.settings, self.reader, folder) = (folders, settings, reader, folders.actions)
    rules = Rules(folder.appending(path: "rules.json"))
    history = History(folder.appending(path: "history.jsonl"))
    journal = FileJournal(folder.appending(path: "journal.jsonl"))
  }

  var places: Places { Places(folders: folders, settings: settings.now) }

  /// One for as long as places stay the same, so that two requests for one action meet in it.
  var doer: ActionRunner {
    let places = places
    return doing.withLock { doing in
      if let made = doing, made.places == places { return made.doer }
      let doer = ActionRunner(places: places, journal: journal, reader: reader)
      doing = (places, doer)
      return doer
    }
  }

  /// Nothing was ever done where there is no folder for it.
  var isThere: Bool { FileManager.default.fileExists(atPath: folder.path) }
}
