import FoundationEssentials

/// The system calls that a run of ferryd has made, as the tracer has written them down.
struct CallCount: Sendable {
    /// The calls of one name about one file.
    struct Kind: Hashable, Sendable {
        let call: String
        let file: String
        /// Whether others see what it does.
        let isBoundary: Bool
        /// The names of the errors that it can fail with.
        let failures: [String]
    }

    /// A call.
    private struct Entry {
        let kind: Kind
        /// The how manieth of its name about its file it is, from 1.
        let index: Int
        /// Where it stands in a row of calls of its kind that one thread has made without any
        /// other between them: how many are before it and after it.
        var before = 0
        var after = 0
    }

    /// How many of a row of equal calls stand for it at either end.
    ///
    /// SQLite writes a transaction page by page, and a download writes a body piece by piece. What
    /// is in the middle of such a row differs in nothing from its neighbours.
    private static let endCount = 2

    private let entries: [Entry]

    /// Reads the tracer's file.
    init(contentsOf path: String) throws {
        let text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
        // As the tracer counts: the same call can be one to be killed at or not, by its flags.
        var counts: [String: Int] = [:]
        var rows: [Substring: [Int]] = [:]
        var entries: [Entry] = []
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard fields.count == 5 else { continue }
            let kind = Kind(fields.dropFirst())
            let name = "\(kind.call)|\(kind.file)"
            counts[name, default: 0] += 1
            let last = rows[fields[0]]?.last
            if last.map({ entries[$0].kind }) != kind { rows[fields[0]] = [] }
            entries.append(Entry(kind: kind, index: counts[name] ?? 1))
            let row = rows[fields[0], default: []]
            entries[entries.count - 1].before = row.count
            for index in row { entries[index].after += 1 }
            rows[fields[0], default: []].append(entries.count - 1)
        }
        self.entries = entries
    }

    /// How many calls there were.
    var total: Int { entries.count }

    /// How many calls there were of each kind.
    var counts: [Kind: Int] { entries.reduce(into: [:]) { $0[$1.kind, default: 0] += 1 } }

    /// Everything that can happen to a run, in the order of the calls.
    var targets: [BoundaryTarget] {
        let wanted = entries.filter { min($0.before, $0.after) < Self.endCount }
        return wanted.flatMap { entry in
            entry.kind.actions.map { action in
                BoundaryTarget(
                    call: entry.kind.call,
                    file: entry.kind.file,
                    index: entry.index,
                    action: action
                )
            }
        }
    }
}

extension CallCount.Kind {
    fileprivate init(_ fields: ArraySlice<Substring>) {
        let fields = Array(fields)
        call = String(fields[0])
        file = String(fields[1])
        isBoundary = fields[2] == "1"
        failures = fields[3].split(separator: ",").map(String.init)
    }

    fileprivate var actions: [BoundaryTarget.Action] {
        let kills: [BoundaryTarget.Action] = isBoundary ? [.killBefore, .killAfter] : []
        return kills + failures.map { .fail($0) }
    }
}
