/// What the daemon has asked of the store and of files, and not heard of yet.
struct WorkUnderWay: Hashable, Sendable {
    /// Where something is under way.
    enum Place: CaseIterable, Hashable, Sendable {
        /// A commit or a query: the daemon does not end before it has come to its end.
        case store
        /// A file that resume data is made of: it may never answer, and a client that has cancelled its task says so
        /// again to the next daemon.
        case partialFile
        /// An application's file: it may never answer either, and the next daemon does it again.
        case applicationFile
    }

    private var counts: [Place: Int] = [:]

    /// Whether nothing is under way.
    var isEmpty: Bool { Place.allCases.allSatisfy { count(in: $0) == 0 } }

    /// Whether nothing is under way that the daemon waits for before it ends.
    var allowsEnd: Bool { count(in: .store) == 0 }

    /// How much is under way somewhere.
    func count(in place: Place) -> Int { counts[place] ?? 0 }

    /// Something begins.
    mutating func begin(in place: Place) { counts[place, default: 0] += 1 }

    /// Something has come to its end.
    mutating func end(in place: Place) { counts[place, default: 0] -= 1 }
}
