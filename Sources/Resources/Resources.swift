// The Resources room: see docs/architecture.md.
