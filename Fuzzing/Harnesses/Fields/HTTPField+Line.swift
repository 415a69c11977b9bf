@testable import FerryHTTP

extension HTTPField {
    /// Reads a name and a value, as far as they are such.
    init?(line: String) {
        let halves = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2, !halves[0].isEmpty else { return nil }
        self.init(name: String(halves[0]), value: String(halves[1].drop { $0 == " " }))
    }
}
