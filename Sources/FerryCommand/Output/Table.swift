/// Rows under headings, in columns as wide as their contents.
struct Table {
    /// A text as it is shown, and the number of columns that it takes.
    struct Cell: Hashable, Sendable {
        let text: String
        let width: Int

        /// The cell of a text from anywhere.
        init(_ text: String) {
            self.text = text.printable
            width = self.text.columnCount
        }
    }

    private let headings: [Cell]
    private var widths: [Int]
    private var isHeadingWritten = false

    /// A table.
    ///
    /// - Parameter headings: The columns' headings; the last column may be shortened.
    init(_ headings: [String]) {
        self.headings = headings.map { Cell($0) }
        widths = self.headings.map(\.width)
    }

    /// Returns the lines of further rows, after the headings the first time.
    ///
    /// - Parameters:
    ///   - rows: The contents of each row's columns.
    ///   - limit: The number of available terminal columns; nil for no limit.
    /// - Returns: The lines.
    mutating func lines(_ rows: [[String]], limit: Int?) -> [String] {
        lines(rows.map { $0.map { Cell($0) } }, limit: limit)
    }

    /// Returns the lines of further rows, after the headings the first time.
    ///
    /// - Parameters:
    ///   - rows: Each row's cells.
    ///   - limit: The number of available terminal columns; nil for no limit.
    /// - Returns: The lines.
    mutating func lines(_ rows: [[Cell]], limit: Int?) -> [String] {
        for row in rows {
            for (column, cell) in row.enumerated() {
                widths[column] = max(widths[column], cell.width)
            }
        }
        defer { isHeadingWritten = true }
        return ((isHeadingWritten ? [] : [headings]) + rows).map { line($0, limit: limit) }
    }

    private func line(_ row: [Cell], limit: Int?) -> String {
        // As bytes: it takes much longer to append to a string.
        var line: [UInt8] = []
        var left = limit
        for (cell, width) in zip(row.dropLast(), widths) {
            line += cell.text.utf8
            line += repeatElement(UInt8(ascii: " "), count: width + 2 - cell.width)
            left? -= width + 2
        }
        let last = row.last?.text ?? ""
        line += (left.map { last.shortened(toColumns: max(8, $0)) } ?? last).utf8
        return String(decoding: line, as: UTF8.self).withoutSpacesAtEnd
    }
}
