// Tests of the Commands room.
