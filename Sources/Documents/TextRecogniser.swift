public import Foundation

/// Finds the words in the picture of a page: a system's own recogniser, in place of the one that this library brings along.
public protocol TextRecogniser: Sendable {
  /// Called on the engine's thread, one picture at a time. What it takes of time is not bounded.
  /// - Parameters:
  ///   - picture: A PNG, grey and evenly lit.
  ///   - languages: As "en", those that it may be written in; empty: nobody knows.
  /// - Returns: The lines in the order in which they are read.
  func lines(in picture: Data, languages: [String]) throws -> [RecognisedLine]
}

/// A line of words that a system has found in a picture.
public struct RecognisedLine: Sendable, Equatable {
  /// Its edges are shares of the picture's width and height, from the upper left corner.
  public struct Word: Sendable, Equatable {
    public var text: String
    public var left, top, right, bottom: Double

    public init(_ text: String, left: Double, top: Double, right: Double, bottom: Double) {
      (self.text, self.left, self.top, self.right, self.bottom) = (text, left, top, right, bottom)
    }
  }
  public var words: [Word]
  /// 0 to 1.
  public var confidence: Double

  public init(words: [Word], confidence: Double) { (self.words, self.confidence) = (words, confidence) }
}
