// The Retrieval room: see docs/architecture.md.
