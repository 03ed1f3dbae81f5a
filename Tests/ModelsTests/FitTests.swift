import Foundation
import Testing

@testable import Models

@Suite("Fit and autopilot")
struct FitTests {
  static let footprint = Footprint(weights: 1 << 30, kvPerToken: 28_672, overhead: 100 << 20, maximumContext: 32_768)

  @Test(
    "A pack fits, fits with a smaller context, or does not fit",
    arguments: [
      (available: Int64?.some(8 << 30), context: 8192, fits: true, with: 8192),
      (available: Int64?.some(8 << 30), context: 1 << 20, fits: true, with: 32_768),
      (available: Int64?.some(1412 << 20), context: 8192, fits: true, with: 5632),
      (available: Int64?.some(1200 << 20), context: 8192, fits: false, with: 0),
      (available: Int64?.some(0), context: 8192, fits: false, with: 0),
      (available: nil, context: 8192, fits: true, with: 8192),
    ])
  func decides(available: Int64?, context: Int, fits: Bool, with: Int) {
    let fit = Fit.decide(Self.footprint, context: context, available: available)
    #expect(fit.fits == fits)
    #expect(fit.context == with)
    #expect(!fit.reason.isEmpty)
    if fits, let available { #expect(fit.footprintBytes <= available - Fit.reserve(of: available)) }
  }

  private func candidate(_ quantization: String, _ gigabytes: Int64, parameters: Int64 = 1) -> Autopilot.Candidate {
    var pack = Sandbox.pack("p-\(quantization)", kind: .chat, quantization: quantization, data: Data(count: 8))
    pack.parameters = parameters
    return .init(
      pack: pack,
      footprint: Footprint(weights: gigabytes << 30, kvPerToken: 1 << 10, overhead: 0, maximumContext: 4096))
  }

  @Test(
    "Of a family the autopilot takes Q4_K_M, Q5_K_M where memory is plentiful, and never two bits unasked",
    arguments: [
      (16, "Q5_K_M"), (6, "Q4_K_M"), (4, "Q4_K_M"), (3, "Q3_K_M"), (2, nil),
    ] as [(Int64, String?)])
  func autopilot(gigabytes: Int64, quantization: String?) {
    let family = [
      candidate("Q2_K", 1), candidate("Q3_K_M", 2), candidate("Q4_K_M", 3), candidate("Q5_K_M", 4),
      candidate("Q8_0", 8),
    ]
    let choice = Autopilot.best(of: family, context: 4096, available: gigabytes << 30)
    #expect(choice?.pack.quantization == quantization)
    let asked = Autopilot.best(of: family, context: 4096, available: 4 << 30, asked: "Q2_K")
    #expect(asked?.pack.quantization == "Q2_K")
  }

  @Test("The proposal is the largest pack that fits, answers at reading speed and reads documents in seconds")
  func proposal() {
    let small = candidate("Q4_K_M", 1, parameters: 1_000_000_000)
    var large = candidate("Q4_K_M", 4, parameters: 3_000_000_000)
    large.pack.family = "large"
    large.pack.id = "large"
    #expect(Autopilot.proposal([small, large], context: 2048, available: 8 << 30)?.pack.id == "large")
    #expect(Autopilot.proposal([small, large], context: 2048, available: 3 << 30)?.pack.id == small.pack.id)
    large.pack.parameters = 8_000_000_000
    #expect(Autopilot.proposal([small, large], context: 2048, available: 8 << 30)?.pack.id == small.pack.id)
    large.pack.parameters = 3_000_000_000
    large.pack.bytes = 40 << 30
    #expect(Autopilot.proposal([small, large], context: 2048, available: 90 << 30)?.pack.id == small.pack.id)
  }
}
