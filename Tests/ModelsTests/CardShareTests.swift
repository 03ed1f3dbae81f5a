import Testing

@testable import Models

@Suite("What of a model lies on a graphics card")
struct CardShareTests {
  /// 24 layers and the last; 100 MB each, 4 KB of keys and values for a token and layer.
  private static let need = CardNeed(
    layers: 25, layerBytes: 100 << 20, outputBytes: 200 << 20, kvPerToken: 4096, buffers: 300 << 20)

  private func share(free megabytes: Int64, context: Int = 4096) -> CardShare {
    CardShare.decide(
      Self.need, context: context,
      on: GraphicsCardReport(name: "a card", totalBytes: 8 << 30, freeBytes: megabytes << 20))
  }

  /// A layer takes 116 MB with 4,096 tokens; 500 MB and what is left to others are needed beside them.
  @Test(
    "As many layers as its free memory takes",
    arguments: [
      (Int64(0), 0), (400, 0), (500, 0), (743, 0), (744, 2), (1000, 4), (2048, 13), (3411, 24), (3570, 25), (16384, 25),
    ])
  func layers(free: Int64, expected: Int) {
    #expect(share(free: free).layers == expected)
  }

  @Test("What it takes is never more than is free, and more context leaves room for fewer layers")
  func bounds() {
    for free in stride(from: Int64(0), through: 6000, by: 50) {
      for context in [0, 2048, 32768] {
        let share = share(free: free, context: context)
        #expect(share.bytes <= free << 20 && share.layers <= share.of)
        #expect(share.layers <= self.share(free: free, context: 0).layers)
      }
    }
  }

  @Test("It says how many and why not all")
  func words() {
    #expect(share(free: 8000).words == "all 25 layers on a card")
    #expect(share(free: 2048).words == "13 of 25 layers on a card, as many as fit into the 2.1 GB that are free there")
    #expect(share(free: 100).words == "not one of 25 layers fits into the 105 MB that are free on a card")
  }

  private static let footprint: Footprint = {
    var footprint = Footprint(
      weights: 2600 << 20, kvPerToken: 24 * 4096, overhead: 100 << 20, maximumContext: 32_768)
    footprint.card = need
    return footprint
  }()

  private func fit(card: GraphicsCardReport?, available megabytes: Int64) -> Fit {
    Fit.decide(Self.footprint, context: 4096, available: megabytes << 20, card: card)
  }

  @Test("A pack that main memory alone cannot hold fits with a card that takes most of it, and the reason says so")
  func fits() throws {
    let card = GraphicsCardReport(name: "a card", totalBytes: 8 << 30, freeBytes: 8 << 30)
    #expect(!fit(card: nil, available: 1200).fits)
    let together = fit(card: card, available: 1200)
    #expect(together.fits && together.context == 4096)
    #expect(together.card?.layers == 25)
    #expect(together.reason.hasSuffix("; all 25 layers on a card"))
    // 24 layers with their keys and values are elsewhere.
    let saved = fit(card: nil, available: 8000).footprintBytes - together.footprintBytes
    #expect(saved == 24 * (100 << 20) + 24 * 4096 * 4096)
  }

  @Test("A card that computes in the same memory saves none of it")
  func shared() {
    var card = GraphicsCardReport(name: "a card", totalBytes: 8 << 30, freeBytes: 8 << 30)
    card.sharesMemory = true
    #expect(!fit(card: card, available: 1200).fits)
    #expect(fit(card: card, available: 8000).footprintBytes == fit(card: nil, available: 8000).footprintBytes)
  }
}
