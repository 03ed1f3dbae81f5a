package import Core
package import Foundation
import Resources
import Safety
import Workers

/// What has to happen while the process still has one thread: the launcher is started, then no connection can be made any
/// more. The rest of the seal follows when the house opens.
package struct Doorstep: Sendable {
  fileprivate let folders: Folders
  fileprivate let launcher: Launcher
  fileprivate let connections: SealReport.Lock

  package init(_ folders: Folders) throws {
    self.folders = folders
    launcher = try Launcher(offline: Settings(over: folders.settings).offline)
    connections = Seal.refuseConnections()
  }
}

/// The way into the house: this process owns the data folder, or another one does and is asked over its socket.
package struct Door: Sendable {
  private let house: House

  package static func open(_ step: Doorstep, simulation: URL?) async throws -> Door {
    let seal = Seal.main(connections: step.connections)
    let house = try House(
      folders: step.folders, sensors: sensors(simulation), launcher: step.launcher, seal: seal)
    await house.open()
    return Door(house: house)
  }

  package func call<Of: Operation>(_ type: Of.Type, _ input: Of.Input) -> AsyncThrowingStream<Of.Event, any Error> {
    type.run(input, in: house)
  }

  package func close() async { await house.close() }

  private static func sensors(_ simulation: URL?) throws -> any Sensors {
    if let simulation {
      let text = try String(contentsOf: simulation, encoding: .utf8)
      return ScriptedSensors(try Script(text, total: Device.current.totalMemory), time: .system())
    }
    #if os(Linux)
      return LinuxSensors()
    #else
      return AppleSensors()
    #endif
  }
}
