import Foundation

/// A block of code on a page of Markdown.
///
/// What the page's blocks take as given stands in comments that nobody sees, between lines `<!-- given` and `-->`.
struct CodeBlock {
    static let root = (0..<3).reduce(URL(filePath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
    }

    /// The README and the articles.
    static var pages: [String] {
        get throws {
            let articles = "Sources/Ferry/Ferry.docc"
            return try ["README.md"]
                + FileManager.default.contentsOfDirectory(
                    atPath: root.appending(path: articles).path
                )
                .filter { $0.hasSuffix(".md") }.sorted().map { "\(articles)/\($0)" }
        }
    }

    let page: String
    /// The number of its first line.
    let line: Int
    let language: String
    let given: String
    var text = ""

    /// The blocks of a page.
    static func all(of page: String) throws -> [CodeBlock] {
        var blocks: [CodeBlock] = []
        var open: CodeBlock?
        var given = ""
        var isGiven = false
        for (index, line) in try lines(of: page).enumerated() {
            if let block = open, line == "```" {
                blocks.append(block)
                open = nil
            } else if open != nil {
                open?.text += line + "\n"
            } else if isGiven {
                isGiven = line != "-->"
                given += isGiven ? line + "\n" : ""
            } else if line.hasPrefix("```") {
                let language = String(line.dropFirst(3))
                open = CodeBlock(page: page, line: index + 2, language: language, given: given)
            } else {
                isGiven = line == "<!-- given"
            }
        }
        return blocks
    }

    /// The words behind a command, where a page names it as code.
    static func commands(of page: String, named name: String) throws -> [[String]] {
        let blocks = try all(of: page).filter { ["sh", "console", ""].contains($0.language) }
            .flatMap { $0.text.split(separator: "\n") }
        let spans = try lines(of: page).flatMap { line in
            line.matches(of: /`([^`]+)`/).map(\.output.1)
        }
        return (blocks + spans).flatMap { line in
            // What follows a sign for a comment is prose.
            let code = line.split(separator: /(^|\s)#/, maxSplits: 1).first ?? ""
            let words = code.split(separator: " ")
            return words.indices.filter { words[$0] == name || words[$0].hasSuffix("/\(name)") }
                .map { words[($0 + 1)...].prefix { $0.wholeMatch(of: /[a-z][a-z\-]*/) != nil } }
                .filter { !$0.isEmpty }.map { $0.map(String.init) }
        }
    }

    private static func lines(of page: String) throws -> [String] {
        try String(contentsOf: root.appending(path: page), encoding: .utf8)
            .components(separatedBy: "\n")
    }
}

// MARK: - As the compiler reads it

extension CodeBlock {
    /// Whether it belongs into a Package.swift.
    var isManifest: Bool { language == "swift" && text.contains(".package(name:") }

    /// A Package.swift with it.
    var manifest: String {
        guard !text.hasPrefix("// swift-tools-version") else {
            return text.replacing("\n", with: "\n\(place(line + 1))\n", maxReplacements: 1)
        }
        // A place cannot be told within an expression.
        return """
            // swift-tools-version: 6.0
            import PackageDescription
            \(place(line - 2))
            let package = Package(
            name: "app",
            \(text)
            )
            """
    }

    /// A file with it: its imports, and a function with the rest.
    func source(name: String) -> String {
        let lines = text.components(separatedBy: "\n")
        var start = (lines.lastIndex { $0.hasPrefix("import ") } ?? -1) + 1
        if lines[start...].first == "#endif" { start += 1 }
        let imports = start > 0 ? lines[..<start] : ["import Ferry", "import Foundation"]
        let head = "\(place(line))\n\(imports.joined(separator: "\n"))\n#sourceLocation()\n"
        let rest = lines[start...].joined(separator: "\n")
        guard rest != "" else { return head }
        return head + """
            @MainActor func \(name)() async throws {
            \(given)
            do {
            \(place(line + start))
            \(rest.hasPrefix("func urlSession(") ? asDelegate(rest) : rest)
            #sourceLocation()
            }
            }
            """
    }

    /// A class with methods of a delegate, whose types are compared with those of the protocol.
    private func asDelegate(_ methods: String) -> String {
        let isOfDownload = methods.contains("downloadTask:")
        return "final class Delegate: NSObject, "
            + "\(isOfDownload ? "URLSessionDownloadDelegate" : "URLSessionDataDelegate") { \(methods) }"
    }

    private func place(_ line: Int) -> String {
        "#sourceLocation(file: \"\(page)\", line: \(line))"
    }
}
