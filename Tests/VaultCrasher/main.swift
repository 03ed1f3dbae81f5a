import Core
import Foundation

// Works in the data folder given, over and over where it left off, and says what it has been promised: a line that begins with
// "done" is written only after the call that did it has returned. The test kills it at any moment.

let arguments = CommandLine.arguments
let work = Work(
  folders: Folders(home: URL(filePath: arguments[1], directoryHint: .isDirectory)),
  outside: URL(filePath: arguments[2]),
  first: Int(arguments[4]) ?? 0, count: Int(arguments[5]) ?? 0)
switch arguments[3] {
case "import": try await work.importing()
case "import together": try await work.importingTogether()
case "chat": try await work.chatting()
case "actions": try await work.acting()
case "purge": try await work.purging()
case "migration", "upgrade": try await work.migrating()
case "restore": try await work.restoring()
case "backup": try await work.backingUp()
default: fatalError("there is no work called \(arguments[3])")
}
say("end")
