package import Core
package import Foundation
package import Resources
import Safety
import Spoken
import Storage
import Workers

/// What has to happen while the process still has one thread: the launcher is started, then the process keeps to its folders and
/// makes no connection any more. The rest of the seal follows when the house opens.
package struct Doorstep: Sendable {
  fileprivate let folders: Folders
  fileprivate let launcher: Launcher
  fileprivate let files: SealReport.Lock

  /// `writable`: folders that the person has named for this run, beside the house's own.
  package init(_ folders: Folders, writable: [URL] = []) throws {
    self.folders = folders
    // Before anything that lies there is read.
    try folders.check()
    let settings = try Settings(over: folders.settings)
    launcher = try Launcher(folders, offline: settings.offline)
    let own = Self.own(folders)
    let chosen = Self.permitted(folders)
    for folder in own + chosen where !FileManager.default.fileExists(atPath: folder.path) {
      // One that cannot be made is told by whoever wants to write there.
      do { try Folders.make(folder) } catch { continue }
    }
    let reached = (own + chosen + writable).map(\.path).filter(FileManager.default.fileExists(atPath:))
    let programs = [try WorkerProgram.find(), LocalVoice.program].compactMap(\.self)
    files = Seal.keep(HouseReach(writable: reached, programs: programs))
  }

  /// Permissions that cannot be believed permit nothing; the launcher says so.
  private static func permitted(_ folders: Folders) -> [URL] {
    do { return try Permissions.read(folders.permissions)?.folders ?? [] } catch { return [] }
  }

  /// Where the house writes by itself. Nothing that any process of ours starts or loads may lie there.
  static func own(_ folders: Folders) -> [URL] { [folders.data, folders.configuration, folders.scratch] }
}

extension Doorstep {
  /// Puts a backup in place of what lies in the data folder, before anyone enters: no house may be open there.
  package func restore(_ backup: URL, password: String?, replacing: Bool) async throws -> BackUp.Event.Done {
    await launcher.stop()
    _ = Seal.main(files: files)
    try Folders.make(folders.data)
    guard case .taken(let lock) = try OwnerLock.take(folders.ownerLock) else { throw AssistantError.restoreRefused }
    let outcome = try Restore.restore(
      backup, into: folders, password: password, replacing: replacing, readers: .ofTheHouse)
    return withExtendedLifetime(lock) {
      BackUp.Event.Done(outcome.manifest, encrypted: password != nil, path: backup.path, remarks: outcome.remarks)
    }
  }
}

/// The way into the house: this process owns the data folder, or another one does and is asked over its socket.
package struct Door: Sendable {
  private enum Side: Sendable {
    case inside(House, OwnerSocket)
    case outside(OwnerClient)
  }
  private let side: Side

  /// The house, when this process owns it.
  package var house: House? {
    if case .inside(let house, _) = side { house } else { nil }
  }

  /// Asks the owner if there is one; else becomes it: seals this process, then opens the house.
  package static func open(_ step: Doorstep, simulation: URL?) async throws -> Door {
    try Folders.make(step.folders.data)
    for _ in 0..<100 {
      if let client = try await OwnerClient.connect(step.folders.ownerSocket) {
        await step.launcher.stop()
        if simulation != nil { throw AssistantError.simulationElsewhere(client.process) }
        // What the owner sends may have been written by strangers.
        _ = Seal.main(files: step.files)
        return Door(side: .outside(client))
      }
      switch try OwnerLock.take(step.folders.ownerLock) {
      case .taken(let lock): return try await own(step, lock, simulation)
      // It is about to listen, or about to end.
      case .held: try await Task.sleep(for: .milliseconds(50))
      }
    }
    throw AssistantError.ownerSilent
  }

  private static func own(_ step: Doorstep, _ lock: OwnerLock, _ simulation: URL?) async throws -> Door {
    let listener = try OwnerListener(step.folders.ownerSocket, holding: lock)
    let seal = Seal.main(files: step.files)
    // Settings and actions are read before the vault is opened.
    try Restore.finish(step.folders)
    let house = try House(
      folders: step.folders, sensors: sensors(simulation), launcher: step.launcher, seal: seal)
    await house.open()
    let socket = OwnerSocket(listener) { name, body in
      guard let operation = Operations.named(name) else {
        return streaming { _ in throw AssistantError.noOperation(name) }
      }
      return operation.run(body, .terminal, house)
    }
    return Door(side: .inside(house, socket))
  }

  package func call<Of: Operation>(_ type: Of.Type, _ input: Of.Input) -> AsyncThrowingStream<Of.Event, any Error> {
    switch side {
    case .inside(let house, _): return type.perform(input, for: .terminal, in: house)
    case .outside(let client):
      return streaming { emit in
        for try await data in client.call(type.name, try JSON.encode(input)) {
          emit(try JSON.decode(Of.Event.self, from: data))
        }
      }
    }
  }

  /// Other commands that were let in meanwhile are answered first, until `deadline` at the latest.
  package func close(by deadline: ContinuousClock.Instant? = nil) async {
    guard case .inside(let house, let socket) = side else { return }
    // Only being cancelled ends the waiting early; then it stops below.
    do { try await socket.finish(by: deadline) } catch {}
    socket.stop()
    await house.close()
  }

  private static func sensors(_ simulation: URL?) throws -> any Sensors {
    if let simulation {
      let text = String(decoding: try RegularFile.whole(simulation.path, limit: 16 << 20), as: UTF8.self)
      return ScriptedSensors(
        try Script(text, total: Device.current.totalMemory), time: .system(), device: deviceSensors)
    }
    return deviceSensors
  }
}

/// What this system's sensors are.
package var deviceSensors: any Sensors {
  #if os(Linux)
    LinuxSensors()
  #else
    AppleSensors()
  #endif
}
