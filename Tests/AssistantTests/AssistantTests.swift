// Tests of the Assistant room.
