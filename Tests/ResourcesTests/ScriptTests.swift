import Core
import Testing

@testable import Resources

private let device = Device(totalMemory: 16 << 30, cores: 4)

private func play(_ text: String, _ mode: Mode = .deep) throws -> [SimulationStep] {
  Simulation.play(
    try Script(text, total: device.totalMemory), mode: mode, settings: Settings(), device: device, promptSpeed: 400)
}

@Suite("Scripts of readings") struct ScriptTests {
  @Test("A laptop heats up and cools down: pace, shrink, fall to Fast, recover, each with its reason") func ramp()
    throws
  {
    let steps = try play(
      """
      {"t_ms": 0, "thermal": "nominal", "memory_available": 8000000000, "on_ac": true}
      {"t_ms": 5000, "thermal": "fair"}
      {"t_ms": 10000, "thermal": "serious"}
      {"t_ms": 15000, "thermal": "critical"}
      {"t_ms": 60000, "thermal": "nominal"}
      """)
    #expect(steps.map(\.tiers.heat.level) == [.nominal, .fair, .serious, .critical, .nominal])
    #expect(steps.map(\.milliseconds) == [0, 5000, 10_000, 15_000, 69_500], "ten seconds after it was last seen")
    let modes = steps.map { step in step.limits.first { $0.what == "mode" }?.value }
    #expect(modes == [.text("deep"), .text("deep"), .text("deep"), .text("fast"), .text("deep")])
    #expect(steps.dropFirst().allSatisfy { !$0.changes.isEmpty })
    #expect(steps[4].limits.allSatisfy { !$0.inForce || $0.what == "context_tokens" })
  }

  @Test("A phone at 8 % falls to Fast and puts indexing off until it is charged") func phone() throws {
    let steps = try play(
      """
      {"t_ms": 0, "battery": 8, "on_ac": false, "low_power": true, "memory_total": 3000000000, "memory_available": 1500000000}
      {"t_ms": 1000, "on_ac": true, "low_power": false}
      """)
    #expect(steps[0].tiers.battery.level == .critical)
    #expect(steps[0].limits.first { $0.what == "mode" }?.value == .text("fast"))
    #expect(steps[0].limits.first { $0.what == "embedding" }?.value == .flag(false))
    #expect(steps[1].limits.first { $0.what == "embedding" }?.value == .flag(true))
  }

  @Test("Battery may be a share or percent, heat a tier or degrees") func notations() throws {
    #expect(try Script(#"{"t_ms":0,"battery":0.08}"#, total: 1).steps[0].reading.battery == 0.08)
    let percent = try Script("{\"t_ms\":0,\"battery\":50}\n{\"t_ms\":5,\"battery\":1}", total: 1)
    #expect(percent.steps.map(\.reading.battery) == [0.5, 0.01])
    #expect(try play(#"{"t_ms":0,"thermal":99}"#)[0].tiers.heat.level == .critical)
  }

  @Test("Absent fields keep what the line before said") func unchanged() throws {
    let script = try Script(
      "{\"t_ms\":0,\"battery\":0.5,\"on_ac\":false}\n\n{\"t_ms\":9,\"thermal\":\"fair\"}\n", total: 1)
    #expect(script.steps[1].reading.battery == 0.5)
    #expect(script.steps[1].reading.onMains == false)
    #expect(script.reading(at: .milliseconds(8)).heat == nil)
  }

  @Test("A script spanning months is played in its changes, not in its seconds") func months() throws {
    let steps = try play("{\"t_ms\":0,\"thermal\":\"serious\"}\n{\"t_ms\":10000000000,\"thermal\":\"nominal\"}")
    #expect(steps.map(\.tiers.heat.level) == [.serious, .nominal])
  }

  @Test(
    "A malformed script names its line",
    arguments: [
      ("", "holds no reading"), ("{}", "t_ms is missing"), ("[1]", "not a JSON object"), ("{", "not JSON"),
      (#"{"t_ms": "x"}"#, "t_ms has a value"), (#"{"t_ms":0,"thermal":"boiling"}"#, "thermal has a value"),
      (#"{"t_ms":0,"heat":1}"#, "\"heat\" is not a field"), (#"{"t_ms":-1}"#, "back in time"),
      (#"{"t_ms":0,"battery":101}"#, "battery is outside"),
      (#"{"t_ms":0,"memory_available":-5}"#, "value that cannot be used"),
    ])
  func malformed(_ text: String, _ message: String) {
    let error = #expect(throws: ResourcesError.self) { try Script(text, total: 1) }
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }
}
