// Tests of the Retrieval room.
