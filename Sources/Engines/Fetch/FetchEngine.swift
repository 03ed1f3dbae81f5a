// The fetch engine
