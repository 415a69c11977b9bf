/// The rates of a transfer in its last seconds, as a small graph.
struct RateGraph: Hashable, Sendable {
    /// The number of seconds.
    static let width = 10
    /// The signs of rates, from none to the greatest; those of terminals without UTF-8 differ.
    private static let blocks = Array(" ▁▂▃▄▅▆▇█")
    private static let plain = Array(" ..::--==#")

    private var rates: [Int64] = []
    private var latest: Duration?

    /// Records the rate at a moment; within a second, only the first counts.
    mutating func add(_ rate: Int64, at instant: Duration) {
        if let latest, instant - latest < .seconds(1) { return }
        latest = instant
        rates.append(rate)
        if rates.count > Self.width { rates.removeFirst() }
    }

    /// Its text; the newest second is the last sign.
    func text(_ alphabet: ProgressLine.Alphabet) -> String {
        let signs = alphabet == .unicode ? Self.blocks : Self.plain
        let greatest = Double(max(rates.max() ?? 0, 1))
        let graph = rates.map { rate in
            let height = (Double(rate) / greatest * Double(signs.count - 1)).rounded()
            return signs[rate > 0 ? max(1, Int(height)) : 0]
        }
        return String(graph).leftPadding(toColumn: Self.width)
    }
}
