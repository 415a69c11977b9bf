import Foundation

@testable import FerryCommand

extension FuzzTarget {
    /// The name that a server proposes is that of a visible file in the directory that was chosen.
    static let fileName = FuzzTarget("file-name", upTo: 320) { input throws(Finding) in
        var input = input
        let isHeader = input.takeNumber() % 2 == 0
        let text = input.text
        let name =
            isHeader
            ? FileName(contentDisposition: text, address: nil)
            : FileName(contentDisposition: nil, address: text)
        for name in [name, FileName(proposal: text)].compactMap({ $0 }) { try check(name.text) }
    }

    private static func check(_ name: String) throws(Finding) {
        try expect((1...240).contains(name.utf8.count), "a name of \(name.utf8.count) bytes")
        // Bytes, as the kernel sees them: to a text, a slash with an accent is another character.
        try expect(!name.utf8.contains(UInt8(ascii: "/")), "\(name.debugDescription)")
        try expect(!name.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "\(name.debugDescription)")
        let first = name.utf8.first ?? 0
        try expect(!".- ".utf8.contains(first), "\(name.debugDescription)")
    }
}
