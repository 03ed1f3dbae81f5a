public import LiberaKit
public import Observation

/// What the device bears and why, what is loaded, and what the person has set.
@MainActor @Observable
public final class DeviceScreen: Fallible {
  private let libera: Libera
  public private(set) var state: DeviceState?
  public private(set) var settings: Settings?
  /// Who could answer, in the order they are asked.
  public private(set) var providers: [ProviderState] = []
  /// What happened, the latest last.
  public private(set) var happened: [String] = []
  @ObservationIgnored private var watching: Task<Void, Never>?

  public init(_ libera: Libera) { self.libera = libera }

  /// Follows the device until `leave`.
  public func watch() {
    guard watching == nil else { return }
    watching = Task { [libera] in
      do {
        for try await state in libera.governor.states() { self.take(state) }
      } catch { if !(error is CancellationError) { self.failed(error) } }
    }
  }

  public func leave() {
    watching?.cancel()
    watching = nil
  }

  func take(_ new: DeviceState) {
    state = new
    if let change = new.change { happened = (happened + [change]).suffix(50) }
  }

  public func read() async {
    do {
      settings = try await libera.settings.current()
      providers = try await libera.providers()
    } catch { failed(error) }
  }

  /// Changes settings; where one is refused the old ones stay and the reason is shown.
  public func change(_ edit: @Sendable (inout Settings) -> Void) async {
    do {
      settings = try await libera.settings.change(edit)
      providers = try await libera.providers()
      problem = nil
    } catch {
      let refused = LiberaError(telling: error)
      await read()
      problem = refused
    }
  }
}
