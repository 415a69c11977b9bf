import Ferry
import Foundation

/// The table of `ferry list`.
///
/// A program gets all columns. On a terminal no line is wider than that: the name is shown before the application, and the
/// application before the URL, of which only as much as there is room for.
struct TransferTable {
    /// A column.
    private enum Column: Int, CaseIterable {
        case id, state, received, rate, timeLeft, name, application, url

        var heading: String {
            switch self {
            case .id: "ID"
            case .state: "STATE"
            case .received: "RECEIVED"
            case .rate: "RATE"
            case .timeLeft: "LEFT"
            case .name: "NAME"
            case .application: "APPLICATION"
            case .url: "URL"
            }
        }

        /// Whether the column is left out if nothing stands in it.
        var isOptional: Bool { self == .rate || self == .timeLeft }
    }

    /// A row.
    struct Row: Hashable, Sendable {
        fileprivate let cells: [Table.Cell]
        fileprivate let color: Color?

        /// The row of a transfer.
        ///
        /// - Parameters:
        ///   - transfer: The transfer.
        ///   - now: The present.
        init(_ transfer: some ToldTransfer, now: Date) {
            self.init(
                String(transfer.id),
                transfer.stateText(now: now),
                transfer.progressText,
                rate: transfer.bytesPerSecond.map { Figures.speed(Double($0)) },
                timeLeft: transfer.timeLeft.map(Figures.duration),
                transfer.title,
                transfer.application,
                transfer.shownURL,
                color: transfer.color
            )
        }

        /// The row of a transfer that has ended.
        ///
        /// - Parameter transfer: The transfer.
        init(_ transfer: TransferDaemon.EndedTransfer) {
            self.init(
                String(transfer.id),
                transfer.stateText,
                transfer.progressText,
                transfer.name,
                transfer.application,
                transfer.address,
                color: transfer.color
            )
        }

        private init(
            _ id: String,
            _ state: String,
            _ received: String,
            rate: String? = nil,
            timeLeft: String? = nil,
            _ name: String,
            _ application: String,
            _ url: String,
            color: Color?
        ) {
            self.color = color
            cells = [
                Table.Cell(id), Table.Cell(state), Table.Cell(received), Table.Cell(rate ?? ""),
                Table.Cell(timeLeft ?? ""), Table.Cell(name),
                Table.Cell(application.shortened(toColumns: 32)), Table.Cell(url),
            ]
        }
    }

    private static let gap = 2
    /// The widths below which a column is not worth its room.
    private static let smallestName = 20
    private static let smallestState = 16
    private static let smallestURL = 24

    private var table = Table(Column.allCases.map(\.heading))

    /// Returns the lines of further rows for a program, after the headings the first time.
    ///
    /// - Parameter rows: The rows.
    /// - Returns: The lines, as one text.
    mutating func lines(_ rows: [Row]) -> String { table.lines(rows.map(\.cells), limit: nil) }

    /// Returns the lines of all rows for a terminal, with the headings.
    ///
    /// - Parameters:
    ///   - rows: The rows.
    ///   - limit: The number of columns of the terminal.
    ///   - isColored: Whether the states have colors.
    /// - Returns: The lines as one text, none wider than the terminal.
    static func lines(_ rows: [Row], limit: Int, isColored: Bool = false) -> String {
        func natural(_ column: Column) -> Int {
            let cells = rows.lazy.map { $0.cells[column.rawValue].width }
            return max(column.heading.columnCount, cells.max() ?? 0)
        }
        func isEmpty(_ column: Column) -> Bool {
            rows.allSatisfy { $0.cells[column.rawValue].text.isEmpty }
        }
        var widths: [Column: Int] = [:]
        for column in [Column.id, .state, .received, .rate, .timeLeft]
        where !column.isOptional || !isEmpty(column) {
            widths[column] = natural(column)
        }
        var room: Int { limit - widths.values.reduce(0) { $0 + $1 + gap } }
        let name = natural(.name)
        let wanted = min(name, smallestName)
        // 'ferry why' shows a long reason in full.
        if room < wanted, let state = widths[.state] {
            widths[.state] = max(min(state, smallestState), state - (wanted - room))
        }
        for column in [Column.timeLeft, .rate] where room < wanted { widths[column] = nil }
        widths[.name] = max(1, min(name, room))
        for (column, smallest) in [(Column.application, 0), (.url, smallestURL)] {
            let width = natural(column)
            guard room >= min(width, max(smallest, 1)), smallest > 0 || room >= width else { break }
            widths[column] = min(width, room)
        }
        let columns = Column.allCases.filter { widths[$0] != nil }
        let headings = Column.allCases.map { Table.Cell($0.heading) }
        func line(_ row: [Table.Cell], _ color: Color?) -> String {
            let cells = columns.map { column in
                let width = widths[column] ?? 0
                return row[column.rawValue].text.shortened(toColumns: width)
                    .padding(toColumn: width)
            }
            let line = cells.joined(separator: String(repeating: " ", count: gap))
                .withoutSpacesAtEnd.cut(toColumns: limit, ellipsis: "")
            guard isColored, let color else { return line }
            let start = cells[Column.id.rawValue].count + gap
            return color.apply(to: start..<start + cells[Column.state.rawValue].count, of: line)
        }
        return ([line(headings, nil)] + rows.map { line($0.cells, $0.color) })
            .joined(separator: "\n")
    }
}
