import CVectorWays
import Testing

@Suite("Ways to compute among vectors")
struct VectorWayTests {
  static let ways = (["flat", "middle", "wide"] as [String]).filter { vector_ways_has($0) }

  @Test("Estimates of odd shapes and extreme values are those of the plainest loops", arguments: ways)
  func estimates(way: String) { #expect(vector_ways_wrong_estimates(way) == 0) }

  @Test("Products of odd shapes and extreme values are off by no more than floats are", arguments: ways)
  func products(way: String) { #expect(vector_ways_wrong_products(way) == 0) }

  @Test("Every processor has the plain way")
  func plain() { #expect(Self.ways.contains("flat") && !vector_ways_has("other")) }
}
