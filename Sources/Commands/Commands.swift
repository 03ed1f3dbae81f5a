// The Commands room: see docs/architecture.md.
