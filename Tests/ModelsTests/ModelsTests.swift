// Tests of the Models room.
