public import Foundation
public import LiberaKit
import Vision

/// Text in pictures, through Vision, which reads on the device.
public struct AppleTextRecogniser: TextRecogniser {
  /// As Vision names them.
  private static let languages = ["en": "en-US", "de": "de-DE", "fr": "fr-FR"]

  public init() {}

  public func lines(in picture: Data, languages: [String]) throws -> [RecognisedLine] {
    let request = VNRecognizeTextRequest()
    request.recognitionLevel = .accurate
    let known = languages.compactMap { Self.languages[$0] }
    if known.isEmpty { request.automaticallyDetectsLanguage = true } else { request.recognitionLanguages = known }
    try VNImageRequestHandler(data: picture, options: [:]).perform([request])
    return try (request.results ?? []).compactMap(Self.line)
  }

  /// Vision counts from the lower left corner.
  private static func line(_ found: VNRecognizedTextObservation) throws -> RecognisedLine? {
    guard let text = found.topCandidates(1).first else { return nil }
    let words = try text.string.split(whereSeparator: \.isWhitespace).map { word in
      let box = try text.boundingBox(for: word.startIndex..<word.endIndex)?.boundingBox ?? found.boundingBox
      return RecognisedLine.Word(
        String(word), left: box.minX, top: 1 - box.maxY, right: box.maxX, bottom: 1 - box.minY)
    }
    return RecognisedLine(words: words, confidence: Double(text.confidence))
  }
}
