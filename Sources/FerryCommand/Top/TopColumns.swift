import Ferry
import Foundation

/// The columns of `ferry top`, as many as a terminal has room for.
struct TopColumns {
    /// The widths of the columns before the name.
    private static let stateWidth = 9
    private static let barWidth = 10

    /// The number of columns of the terminal.
    let width: Int
    let alphabet: ProgressLine.Alphabet

    /// Whether there is room for bars and times, and for graphs.
    private var hasBars: Bool { width >= 72 }
    private var hasGraphs: Bool { width >= 96 }

    /// The headings.
    var heading: String {
        line(
            "ID",
            "STATE",
            "",
            " %",
            "RATE",
            graph: "",
            "LEFT",
            "NAME"
        ).padding(toColumn: width)
    }

    private func line(
        _ id: String,
        _ state: String,
        _ bar: String,
        _ percent: String,
        _ rate: String,
        graph: String,
        _ left: String,
        _ name: String
    ) -> String {
        var cells = [
            id.leftPadding(toColumn: 5),
            state.cut(toColumns: Self.stateWidth, ellipsis: "").padding(toColumn: Self.stateWidth),
        ]
        if hasBars { cells.append(bar.padding(toColumn: Self.barWidth)) }
        cells.append(percent.leftPadding(toColumn: 4))
        cells.append(rate.leftPadding(toColumn: 10))
        if hasGraphs { cells.append(graph.padding(toColumn: RateGraph.width)) }
        if hasBars { cells.append(left.leftPadding(toColumn: 7)) }
        let used = cells.reduce(0) { $0 + $1.columnCount + 1 }
        let room = max(width - used, 1)
        return (cells + [name.shortened(toColumns: room)]).joined(separator: " ")
    }

    /// Returns the line of a transfer.
    ///
    /// - Parameters:
    ///   - transfer: The transfer.
    ///   - graph: Its rates, if it has run.
    ///   - now: The present.
    /// - Returns: The line.
    func text(of transfer: TransferDaemon.Transfer, graph: RateGraph?, now: Date) -> String {
        let (done, whole) = transfer.byteCounts
        let percent = whole.map { Figures.percent(done, of: $0) }
        let isRunning = transfer.state == .running
        let rate = transfer.bytesPerSecond.map { Figures.speed(Double($0)) }
        let name = transfer.title.printable
        return line(
            String(transfer.id),
            transfer.state.rawValue,
            percent.map { alphabet.bar(Double($0) / 100, columns: Self.barWidth) } ?? "",
            percent.map { "\($0)%" } ?? Figures.byteCount(done).prefixOfNumber,
            isRunning ? rate ?? "" : "",
            graph: isRunning ? graph?.text(alphabet) ?? "" : "",
            isRunning ? transfer.timeLeft.map(Figures.duration) ?? "" : "",
            transfer.state == .waiting
                ? "\(name): \(transfer.stateText(now: now).printable)" : name
        )
    }
}

extension String {
    /// The number at its beginning, for where there is no room for a unit.
    fileprivate var prefixOfNumber: String { String(prefix { $0 != " " }) }
}
