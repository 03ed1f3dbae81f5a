// Tests of the Speech room.
