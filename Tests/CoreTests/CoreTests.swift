// Tests of the Core room.
