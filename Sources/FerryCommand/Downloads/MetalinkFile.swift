import CExpat

/// The files that a Metalink file describes, with their mirrors and digests (RFC 5854).
struct MetalinkFile {
    /// The maximum size of a Metalink file in bytes.
    static let greatestByteCount = 16 << 20

    /// The files.
    let entries: [DownloadList.Entry]

    /// Reads a Metalink file.
    ///
    /// - Parameter bytes: The content, in XML.
    /// - Throws: ``DownloadList/Fault`` with the first line that is invalid.
    init(_ bytes: [UInt8]) throws(DownloadList.Fault) {
        let reader = Reader()
        try reader.read(bytes)
        entries = reader.entries
    }
}

extension MetalinkFile {
    /// A file of which not everything was read yet.
    private struct File {
        let line: Int
        let name: String
        var addresses: [(address: String, priority: Int)] = []
        var digests: [String: String] = [:]
    }

    /// Takes what Expat finds.
    private final class Reader {
        private static let namespace = "urn:ietf:params:xml:ns:metalink"
        private static let greatestPriority = 999_999
        /// The algorithms that are known here, the strongest one first (RFC 5854 §4.2.6, IANA's registry).
        private static let algorithms = ["sha-512", "sha-256", "sha-1", "md5"]

        private(set) var entries: [DownloadList.Entry] = []
        private let parser = XML_ParserCreateNS(nil, 0x20)
        private var path: [String] = []
        private var file: File?
        private var text = ""
        private var attributes: [String: String] = [:]
        private var fault: DownloadList.Fault?

        deinit { XML_ParserFree(parser) }

        func read(_ bytes: [UInt8]) throws(DownloadList.Fault) {
            setHandlers()
            let status = bytes.withUnsafeBytes { buffer in
                XML_Parse(
                    parser,
                    buffer.baseAddress?.assumingMemoryBound(to: CChar.self),
                    Int32(buffer.count),
                    1
                )
            }
            if let fault { throw fault }
            guard status == XML_STATUS_OK else {
                let reason = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) }
                throw DownloadList.Fault(
                    line: line,
                    message: "it is no XML: \(reason ?? "it ends too early")"
                )
            }
            guard !entries.isEmpty else {
                throw DownloadList.Fault(line: 1, message: "it describes no file in Metalink 4")
            }
        }

        private var line: Int { Int(XML_GetCurrentLineNumber(parser)) }

        private func setHandlers() {
            XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
            XML_SetElementHandler(
                parser,
                { context, name, attributes in
                    Reader.of(context)?.begin(name, attributes)
                },
                { context, _ in Reader.of(context)?.end() }
            )
            XML_SetCharacterDataHandler(parser) { context, characters, count in
                Reader.of(context)?.take(characters, Int(count))
            }
            // RFC 5854 needs none, and entities are for attacks.
            XML_SetStartDoctypeDeclHandler(parser) { context, _, _, _, _ in
                Reader.of(context)?.stop("a document type is not allowed")
            }
        }

        private static func of(_ context: UnsafeMutableRawPointer?) -> Reader? {
            context.map { Unmanaged<Reader>.fromOpaque($0).takeUnretainedValue() }
        }

        private func stop(_ message: String) {
            guard fault == nil else { return }
            fault = DownloadList.Fault(line: line, message: message)
            XML_StopParser(parser, XML_Bool(XML_FALSE))
        }

        private func begin(
            _ name: UnsafePointer<XML_Char>?,
            _ list: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?
        ) {
            let parts = name.map { String(cString: $0).split(separator: " ", maxSplits: 1) } ?? []
            let isOurs = parts.count == 2 && parts[0] == Self.namespace
            path.append(isOurs ? String(parts[1]) : "")
            guard path.count <= 64 else { return stop("its elements are too deep") }
            text = ""
            attributes = Self.attributes(list)
            guard path == ["metalink", "file"] else { return }
            let name = attributes["name"] ?? ""
            guard Self.isInside(name) else {
                return stop("the file name '\(name)' leads out of the directory")
            }
            file = File(line: line, name: name)
        }

        private static func attributes(
            _ list: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?
        ) -> [String: String] {
            var attributes: [String: String] = [:]
            guard var next = list else { return attributes }
            while let name = next[0], let value = next[1] {
                attributes[String(cString: name)] = String(cString: value)
                next += 2
            }
            return attributes
        }

        /// Whether a path stays in its directory (RFC 5854 §4.1.2.1).
        private static func isInside(_ path: String) -> Bool {
            let parts = path.split(separator: "/", omittingEmptySubsequences: false)
            return parts.allSatisfy { !["", ".", ".."].contains($0) }
                && !path.utf8.contains { $0 < 0x20 || $0 == 0x7F }
        }

        private func take(_ characters: UnsafePointer<XML_Char>?, _ count: Int) {
            guard file != nil, let characters, text.utf8.count < 1 << 16 else { return }
            let bytes = UnsafeRawBufferPointer(start: characters, count: count)
            text += String(decoding: bytes, as: UTF8.self)
        }

        private func end() {
            let word = text.trimmed
            switch path {
            case ["metalink", "file", "url"]: addAddress(word)
            case ["metalink", "file", "hash"]:
                if let type = attributes["type"]?.lowercased() { file?.digests[type] = word }
            case ["metalink", "file"]: endFile()
            default: break
            }
            path.removeLast()
            text = ""
            attributes = [:]
        }

        private func addAddress(_ address: String) {
            let scheme = address.prefix { $0 != ":" }.lowercased()
            // Other mirrors, such as those of FTP, are for other programs.
            guard ["http", "https"].contains(scheme) else { return }
            let priority = attributes["priority"].flatMap { Int($0) } ?? Self.greatestPriority
            file?.addresses.append((address, priority))
        }

        private func endFile() {
            defer { file = nil }
            guard let file else { return }
            // sort(by:) keeps no order of equals.
            let ordered = file.addresses.enumerated().sorted {
                ($0.element.priority, $0.offset) < ($1.element.priority, $1.offset)
            }.map(\.element.address)
            guard let first = ordered.first else {
                return stop("the file '\(file.name)' has no URL of http or https")
            }
            var entry = DownloadList.Entry(line: file.line, address: first)
            entry.mirrors = Array(ordered.dropFirst())
            entry.name = file.name
            if let known = Self.algorithms.first(where: { file.digests[$0] != nil }),
                let digest = file.digests[known]
            {
                entry.options = [
                    .init(line: file.line, name: "checksum", value: "\(known)=\(digest)")
                ]
            }
            entries.append(entry)
        }
    }
}

extension String {
    /// The text without blanks and line breaks at its ends.
    fileprivate var trimmed: String {
        let start = drop { $0.isWhitespace }
        let end = start.lastIndex { !$0.isWhitespace }
        return end.map { String(start[...$0]) } ?? ""
    }
}
