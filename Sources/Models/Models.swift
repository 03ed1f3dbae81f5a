// The Models room: see docs/architecture.md.
