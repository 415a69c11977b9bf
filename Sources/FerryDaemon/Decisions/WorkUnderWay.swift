/// The daemon's unfinished operations in the store and on files.
struct WorkUnderWay: Hashable, Sendable {
    /// The place of an operation.
    enum Place: CaseIterable, Hashable, Sendable {
        /// A commit or a query: the daemon does not end before it is complete.
        case store
        /// A file that resume data is made of: it may never respond, and a client that has cancelled its task does so
        /// again with the next daemon.
        case partialFile
        /// An application's file: it may never respond either, and the next daemon repeats the operation.
        case applicationFile
    }

    private var counts: [Place: Int] = [:]

    /// Whether nothing is under way.
    var isEmpty: Bool { Place.allCases.allSatisfy { count(in: $0) == 0 } }

    /// Whether nothing is under way that the daemon waits for before it ends.
    var allowsEnd: Bool { count(in: .store) == 0 }

    /// Returns the number of operations under way in a place.
    func count(in place: Place) -> Int { counts[place] ?? 0 }

    /// Records that an operation begins.
    mutating func begin(in place: Place) { counts[place, default: 0] += 1 }

    /// Records that an operation has ended.
    mutating func end(in place: Place) { counts[place, default: 0] -= 1 }
}
