// Tests of the Documents room.
