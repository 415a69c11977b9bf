import Testing

/// Everything that has a window: one after another, as each has a screen and real processes.
@Suite(.serialized, .timeLimit(.minutes(2))) enum WindowTests {}
