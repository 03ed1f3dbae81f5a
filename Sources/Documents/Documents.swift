// The Documents room: see docs/architecture.md.
