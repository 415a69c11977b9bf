/// Rows under headings, in columns as wide as their contents.
struct Table {
    private let headings: [String]
    private var widths: [Int]
    private var isHeadingWritten = false

    /// A table.
    ///
    /// - Parameter headings: The columns' headings; the last column may be shortened.
    init(_ headings: [String]) {
        self.headings = headings
        widths = headings.map(\.columnCount)
    }

    /// Returns the lines of further rows, after the headings the first time.
    ///
    /// - Parameters:
    ///   - rows: The contents of each row's columns.
    ///   - limit: The number of available terminal columns; nil for no limit.
    /// - Returns: The lines.
    mutating func lines(_ rows: [[String]], limit: Int?) -> [String] {
        let rows = rows.map { $0.map(\.printable) }
        for row in rows {
            for (column, text) in row.enumerated() {
                widths[column] = max(widths[column], text.columnCount)
            }
        }
        defer { isHeadingWritten = true }
        return ((isHeadingWritten ? [] : [headings]) + rows).map { line($0, limit: limit) }
    }

    private func line(_ row: [String], limit: Int?) -> String {
        var line = ""
        for (column, text) in row.enumerated() {
            if column == row.count - 1 {
                let room = limit.map { max(8, $0 - line.columnCount) }
                line += room.map { text.shortened(toColumns: $0) } ?? text
            } else {
                line += text.padding(toColumn: widths[column] + 2)
            }
        }
        return line.withoutSpacesAtEnd
    }
}
