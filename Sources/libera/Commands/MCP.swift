import Core
import Foundation
import Server

enum MCPCommand: Command {
  static let name = "mcp"
  static let summary = "a Model Context Protocol server on standard input and output, for editors and agents"
  static let examples = ["libera mcp"]

  static func run(_ arguments: Arguments, _ context: Context) async throws {
    try arguments.only(0...0, "")
    let door = try await context.door()
    let server = ModelContext(door) { try FileHandle.standardOutput.write(contentsOf: $0) }
    let end = await Interrupt.listen()
    let work = Task { await server.serve(lines()) }
    let ended = Task {
      await end.wait()
      work.cancel()
    }
    await work.value
    ended.cancel()
  }

  /// Standard input line by line. Reading blocks, so it has a thread of its own, which ends with the program.
  private static func lines() -> AsyncStream<Data> {
    let (lines, line) = AsyncStream.makeStream(of: Data.self)
    Thread {
      // One byte more than is read shows that a line is too long.
      while let text = InputLine.bytes(upTo: ModelContext.longestLine + 1) { line.yield(Data(text.bytes)) }
      line.finish()
    }.start()
    return lines
  }
}
