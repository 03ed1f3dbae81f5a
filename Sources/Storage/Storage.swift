// The Storage room: see docs/architecture.md.
