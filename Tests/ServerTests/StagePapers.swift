import Foundation

/// What is written on the stage: a document, its passages, and the state of the device.
extension Props {
  static let page = """
    Care. The filter must be changed every six months, or sooner when the red lamp is lit. Switch the boiler off first. \
    Pressure. The gauge should read between 1.2 and 1.8 bar when the system is cold.
    """

  static var citations: [[String: Any]] {
    [
      [
        "id": "c1", "document": "Boiler manual.pdf", "title": "Boiler manual", "page": 12, "score": 0.83, "start": 6,
        "end": 86,
        "text": "The filter must be changed every six months, or sooner when the red lamp is lit.",
        "boxes": [[72, 120, 400, 140]],
      ],
      [
        "id": "c2", "document": "Boiler manual.pdf", "title": "Boiler manual", "page": 14, "score": 0.64, "start": 126,
        "end": 196,
        "text": "The gauge should read between 1.2 and 1.8 bar when the system is cold.",
        "boxes": [[72, 120, 400, 140]],
      ],
      [
        "id": "c3", "document": "Letters/A very long document name that goes on and on.txt",
        "title": "A very long document name that goes on and on", "page": NSNull(), "score": 0.41, "start": 0,
        "end": 20,
        "text": "Please have the boiler inspected once each year by a certified engineer.", "boxes": [[Int]](),
      ],
    ]
  }

  static var governor: [String: Any] {
    [
      "reading": [
        "temperatures": [["name": "cpu", "celsius": 48.0 + Double.random(in: 0...6)]],
        "memory": ["available": 5.1e9 + Double.random(in: 0...2e8), "total": 8.2e9],
      ] as [String: Any],
      "tiers": [
        "heat": ["level": "nominal", "known": true, "reason": "51 °C of 95 °C"],
        "memory": ["level": "normal", "known": true, "reason": "5.1 GB of 8.2 GB can be had"],
        "battery": ["level": "normal", "known": false, "reason": "there is no battery"], "low_power": false,
        "background": false,
      ] as [String: Any],
      "residents": [["id": "smollm2-135m", "declaredBytes": 190_000_000] as [String: Any]],
    ]
  }

  static var doctor: [String: Any] {
    [
      "checks": [
        ["name": "Swift and engines", "state": "ok", "detail": "llama.cpp b1, pdfium 1"],
        [
          "name": "Disk encryption", "state": "warning", "detail": "The volume is not encrypted.",
          "remedy": "Turn on LUKS.",
        ],
      ],
      "sealed": ["main": true, "workers": true], "connections_opened": 0, "mail_sent": 0, "outgoing": [Any](),
      "volume_encrypted": false,
    ]
  }
}
