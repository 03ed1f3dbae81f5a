// Tests of the Safety room.
