// Tests of the Server room.
