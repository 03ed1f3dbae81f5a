import Core
import Testing

@Suite("What may have been meant")
struct NearestTests {
  private static let names = [
    "ask", "serve", "settings", "documents", "conversations", "packs", "mode", "deepPack", "passages",
    "smollm2-135m-instruct",
    "smollm2-360m-instruct", "whisper-small-f16",
  ]

  @Test(
    "The nearest name is found where it is near, and none where nothing is",
    arguments: [
      ("serv", "serve"), ("sevre", "serve"), ("SETTINGS", "settings"), ("setings", "settings"),
      ("document", "documents"),
      ("conv", "conversations"), ("deeppack", "deepPack"), ("aks", "ask"), ("passage", "passages"),
      ("smolm2", "smollm2-135m-instruct"), ("smollm-360m", "smollm2-360m-instruct"), ("wisper", "whisper-small-f16"),
      ("fly", nil), ("smoke", nil), ("a", nil), ("", nil), ("pa", nil), ("xyzxyzxyz", nil),
    ] as [(String, String?)])
  func near(word: String, meant: String?) {
    #expect(Nearest.name(to: word, among: Self.names) == meant, "\(word)")
  }
}
