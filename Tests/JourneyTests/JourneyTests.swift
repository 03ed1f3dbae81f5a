// Tests through the real program.
