import Core
import Foundation

/// `POST /api/NAME` for every operation, and what is running.
///
/// Three ways to listen: one JSON line per event over the same connection (as the command line prints them); the same as
/// server-sent events when the client accepts them; or, with `Prefer: respond-async`, an id at once and the events in the
/// shared stream, so that no closed page loses anything.
struct OperationRoutes: Sendable {
  let services: [Service]
  let runs: Runs
  let ring: EventRing
  let uploads: Uploads
  let bounds: Bounds

  var routes: [Route] {
    services.map { service in
      Route.post("/api/\(service.name)", service.right, bounds) { try await answer($0, by: service) }
    } + [
      Route(
        "GET", "/api/events", needs: .entry,
        .later { request in
          let feed = EventFeed(
            ring, after: request.headers["last-event-id"] ?? request.query["after"], for: request.caller)
          feed.greet(await runs.count(for: request.caller))
          return Response(type: "text/event-stream", .stream(feed))
        }),
      Route("GET", "/api/operations", needs: .entry, .later { .json(await runs.list(for: $0.caller)) }),
      Route(
        "GET", "/api/operations/", isPrefix: true, needs: .entry,
        .later { .json(try await runs.show($0.tail(after: "/api/operations/"), for: $0.caller)) }),
      Route(
        "DELETE", "/api/operations/", isPrefix: true, needs: .entry,
        .later { request in
          try await runs.cancel(request.tail(after: "/api/operations/"), for: request.caller)
          return .empty(202)
        }),
      Route(
        "PUT", "/api/uploads", needs: .oneOf([.transcribe, .manage]),
        body: .file(limit: bounds.uploadBytes, seconds: bounds.uploadSeconds),
        .now { try uploads.taken($0) }),
    ]
  }

  private func answer(_ request: Request, by service: Service) async throws -> Response {
    let staged = try uploads.resolve(request.body.isEmpty ? Data("{}".utf8) : request.body, for: request.caller)
    let begin: @Sendable () throws -> AsyncThrowingStream<Data, any Error> = {
      let events = try service.run(staged.body, request.caller)
      return staged.used.isEmpty ? events : uploads.deleting(staged.used, after: events)
    }
    if wants("respond-async", in: request.headers["prefer"]) {
      let id = try await runs.start(service.name, id: request.headers["idempotency-key"], for: request.caller, begin)
      return .json(["operation": id], status: 202)
    }
    let asEvents = wants("text/event-stream", in: request.headers["accept"])
    // The page asks for much at once when it opens; other programs' clients may read by the line what they do not unpack by the line.
    var isPage = false
    if case .page = request.caller { isPage = true }
    return try await direct(begin(), asEvents: asEvents, packed: isPage && !asEvents && Gzip.isTaken(by: request))
  }

  private func direct(
    _ events: AsyncThrowingStream<Data, any Error>, asEvents: Bool, packed: Bool
  ) async throws -> Response {
    // An event is made into a frame when there is room for it: a stream in between would take all of them at once.
    let frames = CountedEvents(events).map { Self.frame($0, asEvents: asEvents) }
    let type = asEvents ? "text/event-stream" : "application/x-ndjson"
    return try await LineFeed.response(frames, type: type, packed: packed) {
      Self.frame(Response.errorLine(Response.describe($0).told), asEvents: asEvents)
    }
  }

  private static func frame(_ event: Data, asEvents: Bool) -> Data {
    asEvents ? ServerEvent.frame(event) : event + Data("\n".utf8)
  }

  private func wants(_ word: String, in header: String?) -> Bool {
    header?.split(separator: ",").contains {
      $0.split(separator: ";").first?.trimmingCharacters(in: .whitespaces).lowercased() == word
    } ?? false
  }
}
