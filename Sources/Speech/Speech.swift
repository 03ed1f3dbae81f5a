// The Speech room: see docs/architecture.md.
