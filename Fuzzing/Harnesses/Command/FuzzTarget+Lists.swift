import FerryTransfer
import Foundation

@testable import FerryCommand

extension FuzzTarget {
    /// A list says the same when it is written anew, or names a line of its own that is invalid.
    static let downloadList = FuzzTarget("download-list", upTo: 512) { input throws(Finding) in
        let lineCount = input.rest.count { $0 == 10 || $0 == 13 } + 1
        let list: DownloadList
        do throws(DownloadList.Fault) {
            list = try DownloadList(input.rest)
        } catch {
            return try expect(1...lineCount ~= error.line, "a fault in line \(error.line)")
        }
        var previous = 0
        for entry in list.entries {
            let lines = [entry.line] + entry.options.map(\.line)
            for line in lines {
                try expect(previous < line && line <= lineCount, "line \(line) after \(previous)")
                previous = line
            }
        }
        let written = list.entries.map(text(of:)).joined(separator: "\n") + "\n"
        let again = Result { () throws(DownloadList.Fault) in try DownloadList(Array(written.utf8))
        }
        switch again {
        case .success(let again):
            try expectSame(again.entries.map(text(of:)), list.entries.map(text(of:)), "the entries")
        case .failure(let fault): throw Finding(description: "it is invalid when written: \(fault)")
        }
    }

    private static func text(of entry: DownloadList.Entry) -> String {
        let fields = [entry.address] + entry.mirrors + [entry.name].compactMap { $0 }
        let options = entry.options.map { "\n  \($0.name)\($0.value.map { "=\($0)" } ?? "")" }
        return fields.joined(separator: "\t") + options.joined()
    }

    /// A pattern stands for as many addresses as it says, and without ranges and sets for itself.
    static let addressPattern = FuzzTarget("address-pattern", upTo: 64) { input throws(Finding) in
        let text = input.text
        guard let pattern = try? AddressPattern(text) else { return }
        try expect(pattern.count >= 1, "\(pattern.count) addresses")
        var count = 0
        for match in pattern.matches.prefix(500) {
            count += 1
            _ = match.name(text)
            // A backslash before a bracket is no part of the address.
            if match.values.isEmpty, !text.contains("\\") {
                try expectSame(match.address, text, "the address")
            }
        }
        try expectSame(count, min(pattern.count, 500), "the number of addresses")
    }

    /// Cookies, logins and digests of files are read whatever is in them, and make no second line of a header.
    static let requestFiles = FuzzTarget("request-files", upTo: 512) { input throws(Finding) in
        guard let url = URL(string: "https://example.org/a") else { return }
        for cookie in CookieFile(input.rest)?.cookies(near: url, at: .distantPast) ?? [] {
            let text = cookie.name + cookie.value
            let controls = text.unicodeScalars.filter { $0.value < 0x20 || $0.value == 0x7F }
            try expect(controls.isEmpty, "a control character in \(text.debugDescription)")
            try expect(!text.contains(";"), "two cookies in \(text.debugDescription)")
        }
        let login = NetrcFile(input.text).login(for: "example.org")
        try expectSame(login, NetrcFile(input.text).login(for: "EXAMPLE.org"), "the login")
        let list = DigestList(input.rest)
        try expect(list.isEmpty || list.digest(of: "") == nil, "a digest of no name")
    }
}
