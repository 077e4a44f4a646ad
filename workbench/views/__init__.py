"""Drawing: read widgets, make one service call, hand its result to a presenter, draw."""
