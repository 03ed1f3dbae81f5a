// Tests of the Storage room.
