/// Headers that every response carries. None lets another page read anything here; `RequestGate.guest` has those for pages that a person
/// has allowed.
enum Headers {
  static let always: [(name: String, value: String)] = [
    (
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self' blob:; "
        + "connect-src 'self'; manifest-src 'self'; worker-src 'self'; form-action 'none'; frame-ancestors 'none'; "
        + "base-uri 'none'; require-trusted-types-for 'script'; trusted-types libera"
    ),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
    // No Cross-Origin-Embedder-Policy: what the page may take in, the first header says, and with both a browser starts a process of its
    // own for the page before it paints (Benchmarks/server.md).
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "microphone=(self), camera=(), geolocation=(), payment=(), usb=(), interest-cohort=()"),
  ]
}
