import Safety
import Testing

@Suite("Whether a graphics card is here")
struct GraphicsCardTests {
  @Test(
    "A card is what computes, or what the person names",
    arguments: [
      ([], nil, false), (["/dev/dri/card0"], nil, false), (["/dev/dri/renderD128"], nil, true),
      (["/dev/nvidiactl"], nil, true), ([], "0", true), ([], "", false),
    ] as [([String], String?, Bool)])
  func cards(devices: [String], named: String?, expected: Bool) {
    let environment = named.map { [GraphicsCard.variable: $0] } ?? [:]
    #expect(GraphicsCard.isHere(environment, exists: devices.contains) == expected)
  }
}
