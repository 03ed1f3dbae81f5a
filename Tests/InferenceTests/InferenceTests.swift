// Tests of the Inference room.
