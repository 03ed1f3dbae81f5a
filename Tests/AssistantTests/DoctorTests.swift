import Core
import Inference
import Testing

@testable import Assistant

@Suite("What the doctor says of speed")
struct DoctorTests {
  private func row(_ speed: Double) -> TuneRow {
    TuneRow(threads: 2, microBatch: 256, kvType: .f16, promptTokensPerSecond: 300, tokensPerSecond: speed)
  }

  @Test(
    "A pack slower than one reads, or much slower than is usual, is named with what mends it",
    arguments: [
      (100.0, 120.0, Doctor.Check.State.ok, ""), (41, 120, .ok, ""), (39, 120, .warning, "libera tune small"),
      (4, 6, .warning, "smaller pack"), (4.9, 100, .warning, "smaller pack"),
    ])
  func judged(speed: Double, usual: Double, state: Doctor.Check.State, remedy: String) {
    let check = Doctor.speed(of: "small", row(speed), expected: usual)
    #expect(check.state == state)
    #expect((check.remedy ?? "").contains(remedy))
    #expect(check.detail.contains("small") && check.detail.contains("300"))
  }

  @Test("How vectors are made is said, and that a way was asked for in vain")
  func vectors() {
    #expect(Doctor.vectors(("avx2", nil)).detail == "are made by loops of our own in eight bits (AVX2)")
    #expect(Doctor.vectors(("avx2", "avx2")).state == .ok)
    #expect(Doctor.vectors((nil, nil)).detail.contains("llama.cpp"))
    let vain = Doctor.vectors(("avx2", "amx"))
    #expect(vain.state == .warning && vain.detail.contains("amx") && vain.remedy?.contains("plain") == true)
  }

  @Test("What was not measured is no trouble")
  func unmeasured() {
    #expect(Doctor.speed(of: "small", nil, expected: 100).state == .ok)
    #expect(Doctor.speed(of: "small", row(0), expected: 100).detail.contains("not measured"))
  }
}
