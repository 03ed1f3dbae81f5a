import CLinux
import CLlama
import Core
import Foundation
import Models
import Safety

/// The part of the engine that computes on a graphics card by Vulkan: a library beside the engine's others, which set-up builds only
/// where it is asked to. Loading it asks no driver and starts no thread, so a worker does it before it seals itself; which cards
/// there are is asked afterwards, within the seal.
enum CardPart {
  /// Why no card is used.
  enum Absence: Error, Equatable, CustomStringConvertible {
    case noCard, notBuilt, notLoaded(String), noDriver(String)

    var description: String {
      switch self {
      case .noCard: "no graphics card is here"
      case .notBuilt: "this engine was built without its part for graphics cards"
      case .notLoaded(let reason): "the engine's part for graphics cards could not be loaded: \(reason)"
      case .noDriver(let reason): "no driver offers a card (\(reason))"
      }
    }
  }

  struct Card {
    var device: ggml_backend_dev_t
    var report: GraphicsCardReport
  }

  /// nil once it is loaded.
  static func load() -> Absence? {
    guard GraphicsCard.isHere else { return .noCard }
    return isLinked ? nil : loaded
  }

  /// Backends that are built into the engine itself, where it was built so: CUDA, Metal.
  private static let isLinked = ["cuda", "metal"].contains { dlsym(nil, "ggml_backend_\($0)_reg") != nil }

  private static let loaded: Absence? = {
    guard let path else { return .notBuilt }
    guard dlopen(path, RTLD_NOW | RTLD_LOCAL) != nil else {
      return .notLoaded(dlerror().map { String(cString: $0) } ?? "no reason is given")
    }
    return nil
  }()

  /// Beside the library that would load it.
  private static let path: String? = {
    guard let symbol = dlsym(nil, "ggml_backend_load"), let image = libera_image(symbol) else { return nil }
    let folder = URL(filePath: String(cString: image)).deletingLastPathComponent()
    let file = folder.appending(path: "libggml-vulkan.so").path
    return access(file, F_OK) == 0 ? file : nil
  }()

  /// The drivers are asked once.
  private static let registered: Absence? = {
    if let absence = load() { return absence }
    guard !isLinked, let path else { return nil }
    EngineLog.clear()
    // It is loaded already; this finds it by its name and asks its drivers.
    return ggml_backend_load(path) == nil ? .noDriver(EngineLog.reason(orElse: "Vulkan gave no reason")) : nil
  }()

  /// The card with the most memory free, one with memory of its own before one without.
  static func card() -> Result<Card, Absence> {
    if let absence = registered { return .failure(absence) }
    let cards = (0..<ggml_backend_dev_count()).compactMap { ggml_backend_dev_get($0) }.compactMap(card)
    func worth(_ card: Card) -> (Int, Int64) { (card.report.sharesMemory ? 0 : 1, card.report.freeBytes) }
    let best = cards.max { worth($0) < worth($1) }
    return best.map { .success($0) } ?? .failure(.noDriver("those here compute on the processor, or are too old"))
  }

  private static func card(_ device: ggml_backend_dev_t) -> Card? {
    let type = ggml_backend_dev_type(device)
    guard type == GGML_BACKEND_DEVICE_TYPE_GPU || type == GGML_BACKEND_DEVICE_TYPE_IGPU else { return nil }
    let name = String(cString: ggml_backend_dev_description(device))
    var (free, total) = (0, 0)
    ggml_backend_dev_memory(device, &free, &total)
    // Mesa's driver for processors calls itself so, and ggml takes it for a card with memory of its own.
    #if os(Linux)
      let shares = type == GGML_BACKEND_DEVICE_TYPE_IGPU || name.hasPrefix("llvmpipe")
    #else
      let shares = true
    #endif
    return Card(
      device: device,
      report: GraphicsCardReport(
        name: name, totalBytes: Int64(clamping: total), freeBytes: Int64(clamping: free), sharesMemory: shares))
  }
}
