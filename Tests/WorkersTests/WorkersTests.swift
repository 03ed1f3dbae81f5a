// Tests of the Workers room.
