import CLlama
import Core
import Inference
import Workers

/// From a file to a working context: on the GPU with all layers where that is wanted and works, else on the CPU, with the
/// reason kept for the person to see.
struct Loader {
  let file: PackFile
  let adapter: PackFile?
  let request: LoadRequest

  func context(cancelled: CancelFlag, progress: @escaping (Double) throws -> Void) throws -> LlamaContext {
    var refusal: String?
    if request.gpu {
      do {
        guard let device = Self.gpu else {
          let none = "CPU: no GPU is here, or the engine was built without its backend"
          return try make(gpu: false, .init(onGPU: false, description: none), cancelled, progress)
        }
        return try make(gpu: true, .init(onGPU: true, description: "GPU: \(device)"), cancelled, progress)
      } catch is CancellationError {
        throw CancellationError()
      } catch let error as EngineError {
        refusal = error.message
      }
    }
    let description = refusal.map { "CPU; the GPU was not used: \($0)" } ?? "CPU"
    return try make(gpu: false, .init(onGPU: false, description: description), cancelled, progress)
  }

  private func make(
    gpu: Bool, _ backend: LlamaModel.Backend, _ cancelled: CancelFlag, _ progress: @escaping (Double) throws -> Void
  ) throws -> LlamaContext {
    let model = try LlamaModel(file, gpu: gpu, backend: backend, cancelled: cancelled, progress: progress)
    if let adapter { try model.addAdapter(adapter, scale: request.adapterScale) }
    return try LlamaContext(model, request: request)
  }

  private static var gpu: String? {
    for index in 0..<ggml_backend_dev_count() {
      guard let device = ggml_backend_dev_get(index) else { continue }
      let type = ggml_backend_dev_type(device)
      if type == GGML_BACKEND_DEVICE_TYPE_GPU || type == GGML_BACKEND_DEVICE_TYPE_IGPU {
        return String(cString: ggml_backend_dev_description(device))
      }
    }
    return nil
  }
}
