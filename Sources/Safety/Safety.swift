// The Safety room: see docs/architecture.md.
