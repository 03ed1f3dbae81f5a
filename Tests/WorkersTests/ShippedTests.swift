import Testing

@testable import Workers

@Suite("What a package brings along for its workers")
struct ShippedTests {
  private static let v3: Set = ["fpu", "sse4_2", "avx", "f16c", "fma", "avx2", "bmi2"]
  private static let v4 = v3.union(["avx512f", "avx512cd", "avx512vl", "avx512dq", "avx512bw", "avx512_vnni"])

  @Test(
    "A processor is given the best form that it can run, and nothing that it cannot",
    arguments: [
      (v4, nil, "x86-64-v4-vnni"),
      (v4.subtracting(["avx512_vnni"]), nil, "x86-64-v3"),
      (v4.subtracting(["avx512f"]), nil, "x86-64-v3"),
      (v3, nil, "x86-64-v3"),
      // What cannot do all of a lesser form is given none of the greater ones that need it.
      (v4.subtracting(["fma"]), nil, nil),
      (v3.subtracting(["bmi2"]), nil, nil),
      ([], nil, nil),
      (v4, "x86-64-v3", "x86-64-v3"), (v4, "x86-64", nil),
      // Asking for more than there is gives what there is.
      (v3, "x86-64-v4-vnni", "x86-64-v3"), (v4, "nonsense", "x86-64-v4-vnni"),
    ] as [(Set<String>, String?, String?)])
  func forms(abilities: Set<String>, named: String?, form: String?) {
    #expect(Shipped.form(abilities, atMost: named) == form)
  }

  @Test("Linux's description of the processor is read as words; of several processors the first speaks for all")
  func described() {
    let text = "processor\t: 0\nmodel name\t: A flags b\nflags\t\t: fpu avx2 fma\n\nprocessor\t: 1\nflags\t\t: other\n"
    #expect(Shipped.abilities(in: text) == ["fpu", "avx2", "fma"])
    #expect(Shipped.abilities(in: "Features\t: asimd\n").isEmpty)
  }

  @Test("Only what lies beside the programs is named, and what the person has set stays")
  func environment() {
    func given(_ environment: [String: String], _ there: Set<String>) -> [String: String] {
      Shipped.environment(environment, beside: "/opt/l", abilities: Self.v3) { there.contains($0) }
    }
    #expect(given(["LANG": "C"], []) == ["LANG": "C"])
    #expect(
      given([:], ["/opt/l/tessdata", "/opt/l/x86-64-v3", "/opt/l/x86-64-v4-vnni"]) == [
        "TESSDATA_PREFIX": "/opt/l/tessdata", "LD_LIBRARY_PATH": "/opt/l/x86-64-v3",
      ])
    let own = ["TESSDATA_PREFIX": "/mine", "LD_LIBRARY_PATH": "/cuda"]
    #expect(
      given(own, ["/opt/l/tessdata", "/opt/l/x86-64-v3"]) == [
        "TESSDATA_PREFIX": "/mine", "LD_LIBRARY_PATH": "/opt/l/x86-64-v3:/cuda",
      ])
    #expect(given(["LIBERA_PROCESSOR": "x86-64"], ["/opt/l/x86-64-v3"])["LD_LIBRARY_PATH"] == nil)
  }
}
