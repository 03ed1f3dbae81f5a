/// The tensor types of GGUF: how many elements a block has and how many bytes it takes.
package enum GGUFType: UInt32, Sendable, CaseIterable {
  case f32 = 0
  case f16 = 1
  case q4_0 = 2
  case q4_1 = 3
  case q5_0 = 6
  case q5_1 = 7
  case q8_0 = 8
  case q8_1 = 9
  case q2_K = 10
  case q3_K = 11
  case q4_K = 12
  case q5_K = 13
  case q6_K = 14
  case q8_K = 15
  case iq2_XXS = 16
  case iq2_XS = 17
  case iq3_XXS = 18
  case iq1_S = 19
  case iq4_nl = 20
  case iq3_S = 21
  case iq2_S = 22
  case iq4_XS = 23
  case i8 = 24
  case i16 = 25
  case i32 = 26
  case i64 = 27
  case f64 = 28
  case iq1_M = 29
  case bf16 = 30
  case tq1_0 = 34
  case tq2_0 = 35
  case mxfp4 = 39

  package var block: (elements: Int64, bytes: Int64) {
    switch self {
    case .f32, .i32: (1, 4)
    case .f16, .bf16, .i16: (1, 2)
    case .i8: (1, 1)
    case .i64, .f64: (1, 8)
    case .q4_0, .iq4_nl: (32, 18)
    case .q4_1: (32, 20)
    case .q5_0: (32, 22)
    case .q5_1: (32, 24)
    case .q8_0: (32, 34)
    case .q8_1: (32, 36)
    case .mxfp4: (32, 17)
    case .q2_K: (256, 84)
    case .q3_K, .iq3_S: (256, 110)
    case .q4_K: (256, 144)
    case .q5_K: (256, 176)
    case .q6_K: (256, 210)
    case .q8_K: (256, 292)
    case .iq2_XXS, .tq2_0: (256, 66)
    case .iq2_XS: (256, 74)
    case .iq3_XXS: (256, 98)
    case .iq1_S: (256, 50)
    case .iq2_S: (256, 82)
    case .iq4_XS: (256, 136)
    case .iq1_M: (256, 56)
    case .tq1_0: (256, 54)
    }
  }

  /// The name people know a whole file of this type by (`general.file_type`).
  package static func fileTypeName(_ number: UInt64) -> String? {
    let names: [UInt64: String] = [
      0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 8: "Q5_0", 9: "Q5_1", 10: "Q2_K", 11: "Q3_K_S",
      12: "Q3_K_M", 13: "Q3_K_L", 14: "Q4_K_S", 15: "Q4_K_M", 16: "Q5_K_S", 17: "Q5_K_M", 18: "Q6_K",
      19: "IQ2_XXS", 20: "IQ2_XS", 21: "Q2_K_S", 22: "IQ3_XS", 23: "IQ3_XXS", 24: "IQ1_S", 25: "IQ4_NL",
      26: "IQ3_S", 27: "IQ3_M", 28: "IQ2_S", 29: "IQ2_M", 30: "IQ4_XS", 31: "IQ1_M", 32: "BF16", 36: "TQ1_0",
      37: "TQ2_0", 38: "MXFP4",
    ]
    return names[number]
  }
}
