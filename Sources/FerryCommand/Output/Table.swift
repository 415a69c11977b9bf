/// Rows under headings, in columns as wide as what stands in them.
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

    /// The lines of some more rows, after the heading the first time.
    ///
    /// - Parameters:
    ///   - rows: What stands in the columns of each row.
    ///   - limit: How many columns of text there are; nil for no limit.
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
                line += text.padding(toColumn: widths[column]) + "  "
            }
        }
        let end = line.lastIndex { $0 != " " }
        return end.map { String(line[...$0]) } ?? ""
    }
}
