import FerryStore

/// The number of a client's call, while it waits for its answer.
struct CallID: NumericIdentifier {
    let rawValue: Int64

    init(_ rawValue: Int64) { self.rawValue = rawValue }
}

/// The number of a client's connection.
struct ConnectionID: NumericIdentifier {
    let rawValue: Int64

    init(_ rawValue: Int64) { self.rawValue = rawValue }
}
