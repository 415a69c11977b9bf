import Foundation

@testable import Ferry

extension FuzzTarget {
    /// The content of a data URL is no longer than the URL, and its type is one.
    static let dataURL = FuzzTarget("data-url", upTo: 160) { input throws(Finding) in
        let text = input.text
        if let type = MediaType(text[...]) { try check(type) }
        guard let url = URL(string: "data:" + text) else { return }
        guard let content = try? DataURL(url) else { return }
        try expect(content.data.count <= url.absoluteString.utf8.count, "there is more than came")
        try expect(content.mimeType.utf8.contains(UInt8(ascii: "/")), "\(content.mimeType)")
        try expect(content.textEncodingName != "", "a character set without a name")
        try checkAgain(content)
    }

    private static func check(_ type: MediaType) throws(Finding) {
        let isPlain = type.name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        try expect(isPlain && type.name.split(separator: "/").count == 2, "\(type.name)")
        try expectSame(type.name, type.name.lowercased(), "the case")
        for (name, value) in type.parameters {
            try expect(!name.isEmpty && !value.isEmpty, "an empty parameter of \(type)")
        }
    }

    /// The same content in a URL that is made of it.
    private static func checkAgain(_ content: DataURL) throws(Finding) {
        let text = "data:\(content.mimeType);base64,\(content.data.base64EncodedString())"
        guard let url = URL(string: text), let again = try? DataURL(url) else {
            throw Finding(description: "\(text) cannot be read")
        }
        try expectSame(again.data, content.data, "the content of \(text)")
        try expectSame(again.mimeType, content.mimeType, "the type of \(text)")
    }
}
