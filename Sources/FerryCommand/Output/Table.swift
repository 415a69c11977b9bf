/// Rows under headings, in columns as wide as their contents.
struct Table {
    /// A text as it is shown, and the number of columns that it takes.
    struct Cell: Hashable, Sendable {
        let text: String
        let width: Int

        /// The cell of a text from anywhere.
        init(_ text: String) {
            // What is plain is printable, and its bytes are its columns.
            let isPlain = text.isPlain()
            self.text = isPlain ? text : text.printable
            width = isPlain ? text.utf8.count : self.text.columnCount
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
    /// - Returns: The lines, as one text.
    mutating func lines(_ rows: [[String]], limit: Int?) -> String {
        lines(rows.map { $0.map { Cell($0) } }, limit: limit)
    }

    /// Returns the lines of further rows, after the headings the first time.
    ///
    /// - Parameters:
    ///   - rows: Each row's cells.
    ///   - limit: The number of available terminal columns; nil for no limit.
    /// - Returns: The lines, as one text.
    mutating func lines(_ rows: [[Cell]], limit: Int?) -> String {
        for row in rows {
            for (column, cell) in row.enumerated() {
                widths[column] = max(widths[column], cell.width)
            }
        }
        // As bytes: it takes much longer to append to a string.
        var text: [UInt8] = []
        if !isHeadingWritten { add(headings, to: &text, limit: limit) }
        isHeadingWritten = true
        for row in rows { add(row, to: &text, limit: limit) }
        return String(decoding: text.dropLast(), as: UTF8.self)
    }

    /// Adds the line of a row, and what ends it.
    private func add(_ row: [Cell], to text: inout [UInt8], limit: Int?) {
        let space = UInt8(ascii: " ")
        var left = limit
        for (cell, width) in zip(row.dropLast(), widths) {
            text += cell.text.utf8
            text += repeatElement(space, count: width + 2 - cell.width)
            left? -= width + 2
        }
        let last = row.last?.text ?? ""
        text += (left.map { last.shortened(toColumns: max(8, $0)) } ?? last).utf8
        while text.last == space { text.removeLast() }
        text.append(UInt8(ascii: "\n"))
    }
}
