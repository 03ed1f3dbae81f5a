// See docs/architecture.md: engines.
