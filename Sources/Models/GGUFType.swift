/// The tensor types of GGUF: how many elements a block has and how many bytes it takes.
package enum GGUFType: UInt32, Sendable, CaseIterable {
  case f32 = 0
  case f16 = 1
  case q40 = 2
  case q41 = 3
  case q50 = 6
  case q51 = 7
  case q80 = 8
  case q81 = 9
  case q2K = 10
  case q3K = 11
  case q4K = 12
  case q5K = 13
  case q6K = 14
  case q8K = 15
  case iq2XXS = 16
  case iq2XS = 17
  case iq3XXS = 18
  case iq1S = 19
  case iq4Nl = 20
  case iq3S = 21
  case iq2S = 22
  case iq4XS = 23
  case i8 = 24
  case i16 = 25
  case i32 = 26
  case i64 = 27
  case f64 = 28
  case iq1M = 29
  case bf16 = 30
  case tq10 = 34
  case tq20 = 35
  case mxfp4 = 39

  package var block: (elements: Int64, bytes: Int64) {
    switch self {
    case .f32, .i32: (1, 4)
    case .f16, .bf16, .i16: (1, 2)
    case .i8: (1, 1)
    case .i64, .f64: (1, 8)
    case .q40, .iq4Nl: (32, 18)
    case .q41: (32, 20)
    case .q50: (32, 22)
    case .q51: (32, 24)
    case .q80: (32, 34)
    case .q81: (32, 36)
    case .mxfp4: (32, 17)
    case .q2K: (256, 84)
    case .q3K, .iq3S: (256, 110)
    case .q4K: (256, 144)
    case .q5K: (256, 176)
    case .q6K: (256, 210)
    case .q8K: (256, 292)
    case .iq2XXS, .tq20: (256, 66)
    case .iq2XS: (256, 74)
    case .iq3XXS: (256, 98)
    case .iq1S: (256, 50)
    case .iq2S: (256, 82)
    case .iq4XS: (256, 136)
    case .iq1M: (256, 56)
    case .tq10: (256, 54)
    }
  }

  package var name: String {
    switch self {
    case .f32: "F32"
    case .f16: "F16"
    case .q40: "Q4_0"
    case .q41: "Q4_1"
    case .q50: "Q5_0"
    case .q51: "Q5_1"
    case .q80: "Q8_0"
    case .q81: "Q8_1"
    case .q2K: "Q2_K"
    case .q3K: "Q3_K"
    case .q4K: "Q4_K"
    case .q5K: "Q5_K"
    case .q6K: "Q6_K"
    case .q8K: "Q8_K"
    case .iq2XXS: "IQ2_XXS"
    case .iq2XS: "IQ2_XS"
    case .iq3XXS: "IQ3_XXS"
    case .iq1S: "IQ1_S"
    case .iq4Nl: "IQ4_NL"
    case .iq3S: "IQ3_S"
    case .iq2S: "IQ2_S"
    case .iq4XS: "IQ4_XS"
    case .i8: "I8"
    case .i16: "I16"
    case .i32: "I32"
    case .i64: "I64"
    case .f64: "F64"
    case .iq1M: "IQ1_M"
    case .bf16: "BF16"
    case .tq10: "TQ1_0"
    case .tq20: "TQ2_0"
    case .mxfp4: "MXFP4"
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
