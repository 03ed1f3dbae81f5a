// The Server room: see docs/architecture.md.
