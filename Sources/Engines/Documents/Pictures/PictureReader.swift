import CTesseract
import Core
import Documents
import Foundation
import Workers

/// Text recognition by tesseract, or by the system's own where the program has given it. One engine is kept per set of languages.
final class PictureReader {
  private let system: (any TextRecogniser)?
  private var engine: OpaquePointer?
  private var loaded: [String] = []
  /// What the document's first recognised pages turned out to be written in: one language reads faster and better than three.
  private var settled: String?
  private let folder: String?

  init(_ system: (any TextRecogniser)? = nil) {
    self.system = system
    folder = ParseFolders.recognition().first { FileManager.default.fileExists(atPath: $0) }
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

  /// Another document may be in another language.
  func beginDocument() { settled = nil }

  private func languages(_ wanted: [String]) throws -> [String] {
    guard let folder else { throw DocumentError.recognition("tesseract's languages are not installed") }
    if wanted.isEmpty, let settled { return [settled] }
    // Of several, tesseract leans to the first: English first would read "ä" as "a", and has no letters to lose itself.
    let candidates = wanted.isEmpty ? ["deu", "eng", "fra"] : wanted
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

  /// Reads one picture. A page that seems upside down or on its side is turned and read again, and one that turns out to be in
  /// another language than the first of those tried is read again in that alone.
  func read(_ scan: Scan, pointsPerPixel: Double, output: ParseOutput) throws -> PictureReading {
    scan.makeGray()
    scan.normalise()
    scan.straighten()
    if let system {
      return try upright(scan, pointsPerPixel) { try recognise(scan, by: system, pointsPerPixel, output) }.places
    }
    let engine = try prepare(output.request.languages)
    let (reading, places, turned) = try upright(scan, pointsPerPixel) {
      try recognise(scan, engine, pointsPerPixel, output)
    }
    guard let code = language(of: reading) else { return places }
    settled = code
    let isPlainEnglish =
      code == "eng" && reading.confidence > 0.85 && reading.text.allSatisfy { $0.isASCII || !$0.isLetter }
    guard code != loaded.first, !isPlainEnglish else { return places }
    let again = try recognise(scan, prepare([]), pointsPerPixel, output)
    return again.score > 0.9 * reading.score ? again.turnedBack(turned, scan, pointsPerPixel) : places
  }

  /// Reads a picture as it stands and, where little of it is read or nothing surely, by each of its other sides.
  /// - Returns: The best reading, the same with its places in the picture as it came, and by how many quarters it was turned for that.
  private func upright(
    _ scan: Scan, _ pointsPerPixel: Double, _ read: () throws -> PictureReading
  ) throws -> (reading: PictureReading, places: PictureReading, turned: Int) {
    var reading = try read()
    var (places, turned) = (reading, 0)
    guard reading.characters > 0, reading.confidence < 0.65 || reading.characters < 12 else {
      return (reading, places, turned)
    }
    for quarters in [1, 2, 3] {
      scan.rotate(quarters: 1)  // one more each time
      let again = try read()
      if again.score > 1.3 * reading.score {
        (reading, turned) = (again, quarters)
        places = again.turnedBack(turned, scan, pointsPerPixel)
      }
    }
    scan.rotate(quarters: turned + 1)  // as it was read best
    return (reading, places, turned)
  }

  private func recognise(
    _ scan: Scan, by system: any TextRecogniser, _ pointsPerPixel: Double, _ output: ParseOutput
  ) throws -> PictureReading {
    try output.checkCancelled()
    let known = output.request.languages.compactMap { code in
      LanguageGuess.tesseract.first { $0.value == code }?.key
    }
    let lines: [RecognisedLine]
    do { lines = try system.lines(in: scan.png(), languages: known) } catch let error as DocumentError {
      throw error
    } catch { throw DocumentError.recognition("the system's recogniser says: \(error.localizedDescription)") }
    try output.checkCancelled()
    return PictureReading(lines, scan, pointsPerPixel)
  }

  /// The one of several languages that a reading seems to be in.
  private func language(of reading: PictureReading) -> String? {
    guard settled == nil, loaded.count > 1, reading.confidence > 0.6, let guess = LanguageGuess.guess(reading.text),
      let code = LanguageGuess.tesseract[guess]
    else { return nil }
    return loaded.contains(code) ? code : nil
  }

  // Tesseract's threads wait for each other by spinning: on a busy machine two of them took ten times as long as one.
  // OpenMP comes along as a library of tesseract's, so its function is looked up by name; it holds for the calling thread.
  private static func useOneThread() {
    guard let found = dlsym(nil, "omp_set_num_threads") else { return }
    unsafeBitCast(found, to: (@convention(c) (CInt) -> Void).self)(1)
  }

  private func recognise(
    _ scan: Scan, _ engine: OpaquePointer, _ pointsPerPixel: Double, _ output: ParseOutput
  ) throws -> PictureReading {
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
    return PictureReading(engine, scan, pointsPerPixel)
  }
}

/// Looked at by tesseract between words. What counts is what was computed: on a busy machine a page takes long for no fault of
/// its own.
private final class Watch {
  private let cancelled: CancelFlag
  private let seconds: Int
  private let began = Watch.computed()
  private(set) var late = false

  init(_ cancelled: CancelFlag, seconds: Int) {
    self.cancelled = cancelled
    self.seconds = seconds
  }

  /// Seconds this thread has computed.
  private static func computed() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  var shouldStop: Bool {
    if Self.computed() - began > Double(seconds) { late = true }
    return late || cancelled.isSet
  }
}
