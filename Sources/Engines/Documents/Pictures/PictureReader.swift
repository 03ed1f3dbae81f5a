import CTesseract
import Core
import Documents
import Foundation
import Workers

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Text recognition by tesseract. One engine is kept per set of languages.
final class PictureReader {
  private var engine: OpaquePointer?
  private var loaded: [String] = []
  /// What the first recognised pages turned out to be written in: one language reads faster and better than three.
  private var settled: String?
  private let folder: String?

  init() {
    folder = ParseFolders.recognition.first { FileManager.default.fileExists(atPath: $0) }
  }

  deinit {
    if let engine {
      TessBaseAPIEnd(engine)
      TessBaseAPIDelete(engine)
    }
  }

  /// Pixels per point at which a page is drawn for reading: 300 dpi, less where the page is very large.
  static func scale(width: Double, height: Double, limit: Int) -> Double {
    min(300.0 / 72, (Double(min(limit, 25_000_000)) / max(1, width * height)).squareRoot())
  }

  private func languages(_ wanted: [String]) throws -> [String] {
    guard let folder else { throw DocumentError.recognition("tesseract's languages are not installed") }
    if wanted.isEmpty, let settled { return [settled] }
    let candidates = wanted.isEmpty ? ["eng", "deu", "fra"] : wanted
    // A code is part of a file's name below, so it may hold nothing but letters and underscores.
    let known = candidates.filter { code in
      code.allSatisfy { $0.isASCII && ($0.isLetter || $0 == "_") }
        && FileManager.default.fileExists(atPath: "\(folder)/\(code).traineddata")
    }
    guard !known.isEmpty else {
      throw DocumentError.recognition("none of the languages \(candidates.joined(separator: ", ")) is installed")
    }
    return known
  }

  private func prepare(_ wanted: [String]) throws -> OpaquePointer {
    let languages = try languages(wanted)
    if let engine, languages == loaded { return engine }
    let engine = try engine ?? TessBaseAPICreate() ?? { throw DocumentError.recognition("tesseract does not start") }()
    self.engine = engine
    loaded = []
    guard TessBaseAPIInit2(engine, folder, languages.joined(separator: "+"), OEM_LSTM_ONLY) == 0 else {
      throw DocumentError.recognition("tesseract cannot load \(languages.joined(separator: ", "))")
    }
    _ = TessBaseAPISetVariable(engine, "debug_file", "/dev/null")
    loaded = languages
    return engine
  }

  /// Reads one picture. A page that seems upside down or on its side is turned and read again.
  func read(_ scan: Scan, pointsPerPixel: Double, output: ParseOutput) throws -> Reading {
    scan.makeGray()
    scan.normalise()
    scan.straighten()
    let engine = try prepare(output.request.languages)
    var reading = try recognise(scan, engine, pointsPerPixel, output)
    if reading.characters > 0, reading.confidence < 0.65 || reading.characters < 12 {
      for quarters in [1, 2, 3] {
        scan.rotate(quarters: 1)  // one more each time
        let again = try recognise(scan, engine, pointsPerPixel, output)
        if again.score > 1.3 * reading.score {
          reading = again.turnedBack(quarters, width: Double(scan.width), height: Double(scan.height), pointsPerPixel)
        }
      }
    }
    if settled == nil, reading.confidence > 0.7, let guess = Language.guess(reading.text),
      let code = Language.tesseract[guess],
      loaded.contains(code)
    {
      settled = code
    }
    return reading
  }

  // Tesseract's threads wait for each other by spinning: on a busy machine two of them took ten times as long as one.
  // OpenMP comes along as a library of tesseract's, so its function is looked up by name; it holds for the calling thread.
  private static func useOneThread() {
    guard let found = dlsym(nil, "omp_set_num_threads") else { return }
    unsafeBitCast(found, to: (@convention(c) (CInt) -> Void).self)(1)
  }

  private func recognise(
    _ scan: Scan, _ engine: OpaquePointer, _ pointsPerPixel: Double, _ output: ParseOutput
  ) throws -> Reading {
    try output.checkCancelled()
    Self.useOneThread()
    TessBaseAPISetPageSegMode(engine, PSM_AUTO)
    TessBaseAPISetImage2(engine, scan.pix)
    TessBaseAPISetSourceResolution(engine, CInt(max(70, min(600, (72 / pointsPerPixel).rounded()))))
    defer { TessBaseAPIClear(engine) }
    guard let monitor = TessMonitorCreate() else { throw DocumentError.recognition("there is no memory") }
    defer { TessMonitorDelete(monitor) }
    let watch = Watch(output.cancelled, seconds: output.limits.secondsPerPage)
    TessMonitorSetCancelThis(monitor, Unmanaged.passUnretained(watch).toOpaque())
    TessMonitorSetCancelFunc(monitor) { context, _ in
      guard let context else { return false }
      return Unmanaged<Watch>.fromOpaque(context).takeUnretainedValue().shouldStop
    }
    let failed = withExtendedLifetime(watch) { TessBaseAPIRecognize(engine, monitor) != 0 }
    try output.checkCancelled()
    if watch.late { throw DocumentError.tooSlow(seconds: output.limits.secondsPerPage) }
    if failed { throw DocumentError.recognition("tesseract gave up on the page") }
    return Reading(engine, scan, pointsPerPixel)
  }
}

/// Looked at by tesseract between words.
private final class Watch {
  private let cancelled: CancelFlag
  private let seconds: Int
  private let began = ContinuousClock.now
  private(set) var late = false

  init(_ cancelled: CancelFlag, seconds: Int) {
    self.cancelled = cancelled
    self.seconds = seconds
  }

  var shouldStop: Bool {
    if began.duration(to: .now) > .seconds(seconds) { late = true }
    return late || cancelled.isSet
  }
}
