// Tests of the Resources room.
