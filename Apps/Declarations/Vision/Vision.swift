public import Foundation
package import Synchronization

/// What stands here for the system's recogniser: what it is to find in a picture, and what it was asked.
package final class VisionRoom: Sendable {
  package struct Line: Sendable {
    package var text: String
    package var confidence: Float
    /// Of its words in their order, in shares of the picture from its lower left corner. One that is missing is not known alone.
    package var words: [CGRect?]
    package var box: CGRect
    package init(_ text: String, confidence: Float = 1, words: [CGRect?], box: CGRect) {
      (self.text, self.confidence, self.words, self.box) = (text, confidence, words, box)
    }
  }
  package struct State: Sendable {
    package var lines: [Line] = []
    package var fails = false
    /// The languages that were asked for, and whether they were to be found out.
    package var asked: [(languages: [String], finds: Bool)] = []
    package init() {}
  }
  package static let shared = VisionRoom()
  package let state = Mutex(State())
}

/// https://developer.apple.com/documentation/vision/vnrequesttextrecognitionlevel
public enum VNRequestTextRecognitionLevel: Int, Sendable { case accurate, fast }

/// https://developer.apple.com/documentation/vision/vnrequest
open class VNRequest: NSObject {
  public override init() {}
}

/// https://developer.apple.com/documentation/vision/vnrectangleobservation
open class VNRectangleObservation: NSObject {
  /// https://developer.apple.com/documentation/vision/vndetectedobjectobservation/boundingbox
  public let boundingBox: CGRect
  init(_ box: CGRect) { boundingBox = box }
}

/// https://developer.apple.com/documentation/vision/vnrecognizedtext
open class VNRecognizedText: NSObject {
  private let line: VisionRoom.Line
  init(_ line: VisionRoom.Line) { self.line = line }
  open var string: String { line.text }
  open var confidence: Float { line.confidence }

  /// https://developer.apple.com/documentation/vision/vnrecognizedtext/boundingbox(for:)
  public func boundingBox(for range: Range<String.Index>) throws -> VNRectangleObservation? {
    let words = line.text.split(separator: " ")
    guard let place = words.firstIndex(where: { $0.startIndex == range.lowerBound && $0.endIndex == range.upperBound })
    else { return nil }
    return line.words[place].map(VNRectangleObservation.init)
  }
}

/// https://developer.apple.com/documentation/vision/vnrecognizedtextobservation
open class VNRecognizedTextObservation: VNRectangleObservation {
  private let line: VisionRoom.Line
  init(_ line: VisionRoom.Line) {
    self.line = line
    super.init(line.box)
  }
  open func topCandidates(_ maxCandidateCount: Int) -> [VNRecognizedText] {
    line.text.isEmpty ? [] : [VNRecognizedText(line)]
  }
}

/// https://developer.apple.com/documentation/vision/vnrecognizetextrequest
open class VNRecognizeTextRequest: VNRequest {
  open var recognitionLevel = VNRequestTextRecognitionLevel.accurate
  open var recognitionLanguages = ["en-US"]
  open var automaticallyDetectsLanguage = false
  open fileprivate(set) var results: [VNRecognizedTextObservation]?
}

/// https://developer.apple.com/documentation/vision/vnimageoption
public struct VNImageOption: Hashable, Sendable {
  let name: String
}

/// https://developer.apple.com/documentation/vision/vnimagerequesthandler
open class VNImageRequestHandler: NSObject {
  private let isPNG: Bool
  public init(data imageData: Data, options: [VNImageOption: Any] = [:]) {
    isPNG = imageData.starts(with: [0x89, 0x50, 0x4E, 0x47])
  }

  open func perform(_ requests: [VNRequest]) throws {
    for case let request as VNRecognizeTextRequest in requests {
      let state = VisionRoom.shared.state.withLock { state in
        state.asked.append((request.recognitionLanguages, request.automaticallyDetectsLanguage))
        return state
      }
      guard isPNG, !state.fails else { throw CocoaError(.fileReadCorruptFile) }
      request.results = state.lines.map(VNRecognizedTextObservation.init)
    }
  }
}
