import FerrySystem

/// What the words of a command line, and the lists that it names, ask for.
struct DownloadSource {
    /// The maximum number of addresses that the ranges and sets of a command line stand for.
    static let greatestCount = 1_000_000

    private let arguments: Arguments
    /// What the command line says of each of them; the files that it names are read once.
    private let common: DownloadOptions
    private let isDetached: Bool
    private let hasPatterns: Bool
    private let digests: DigestList?

    /// A source of downloads.
    ///
    /// - Parameters:
    ///   - arguments: The command line.
    ///   - isDetached: Whether nobody waits for the downloads.
    ///   - hasPatterns: Whether the URLs in the command line may have ranges and sets.
    ///   - digests: The digests that the files have to have, by their names; nil if there is no list of them.
    /// - Throws: ``UsageError`` when an option is invalid.
    init(
        _ arguments: Arguments,
        isDetached: Bool,
        hasPatterns: Bool,
        digests: DigestList? = nil
    ) throws(UsageError) {
        self.arguments = arguments
        common = try DownloadOptions(arguments, isDetached: isDetached)
        self.isDetached = isDetached
        self.hasPatterns = hasPatterns
        self.digests = digests
    }

    /// Returns the downloads that the operands ask for.
    ///
    /// - Parameter hasLists: Whether lists ask for others with the same options.
    /// - Returns: The downloads, in the order of the operands.
    /// - Throws: ``UsageError`` when an operand or an option is invalid.
    func typed(hasLists: Bool) throws(UsageError) -> [RequestedDownload] {
        var matches: [AddressPattern.Match] = []
        for operand in arguments.operands {
            guard hasPatterns else {
                matches.append(AddressPattern.Match(address: operand, values: []))
                continue
            }
            let pattern = try pattern(operand)
            guard pattern.count <= Self.greatestCount - matches.count else {
                throw arguments.error(
                    "the URLs stand for more than \(Self.greatestCount) addresses; --globoff takes brackets as they are."
                )
            }
            matches += pattern.matches
        }
        if hasLists || matches.count > 1 {
            try DownloadOptions.requireSeveral(arguments, hasLists: hasLists)
        }
        try requireNames(of: matches)
        return try matches.map { match throws(UsageError) in
            try RequestedDownload(match, common, digests, arguments)
        }
    }

    /// Refuses a name in which nothing tells several files apart.
    private func requireNames(of matches: [AddressPattern.Match]) throws(UsageError) {
        guard let path = arguments.value(of: DownloadOptions.output) else { return }
        let names = Set(matches.map { $0.name(path) })
        guard names.count < matches.count else { return }
        throw arguments.error(
            "--output '\(path)' gives \(matches.count) files \(names.count == 1 ? "one name" : "\(names.count) names")."
        )
    }

    /// Returns the download of the only operand, without the name of a file.
    ///
    /// - Returns: The download.
    /// - Throws: ``UsageError`` when the operand or an option is invalid.
    func streamed() throws(UsageError) -> RequestedDownload {
        var options = common
        options.output = nil
        let match = AddressPattern.Match(address: arguments.operands[0], values: [])
        return try RequestedDownload(match, options, nil, arguments)
    }

    private func pattern(_ operand: String) throws(UsageError) -> AddressPattern {
        do throws(AddressPattern.Fault) {
            return try AddressPattern(operand)
        } catch {
            throw arguments.error("\(error.message); --globoff takes brackets as they are.")
        }
    }

    /// Returns the downloads that a list asks for.
    ///
    /// - Parameters:
    ///   - file: The path of the list; a dash for standard input.
    ///   - context: The world outside.
    /// - Returns: The downloads, in the order of the lines.
    /// - Throws: ``UsageError`` when it cannot be read, or a line is invalid.
    func listed(_ file: String, in context: Context) throws(UsageError) -> [RequestedDownload] {
        let name = file == "-" ? "standard input" : "'\(file)'"
        let content = try arguments.content(
            "the list \(name)",
            limit: DownloadList.greatestByteCount
        ) { limit throws(SystemCallError) in
            try file == "-" ? context.readInput(limit) : Arguments.file(file, limit: limit)
        }
        return try downloads(name) { () throws(DownloadList.Fault) in
            try DownloadList(content).entries
        }
    }

    /// Returns the downloads of the files that a Metalink file describes.
    ///
    /// - Parameters:
    ///   - content: The content of the Metalink file.
    ///   - source: Its path or URL.
    /// - Returns: The downloads, in its order.
    /// - Throws: ``UsageError`` when it cannot be read, or describes a file that cannot be downloaded.
    func described(_ content: [UInt8], by source: String) throws(UsageError) -> [RequestedDownload]
    {
        try downloads("'\(source)'") { () throws(DownloadList.Fault) in
            try MetalinkFile(content).entries
        }
    }

    private func downloads(
        _ name: String,
        _ read: () throws(DownloadList.Fault) -> [DownloadList.Entry]
    ) throws(UsageError) -> [RequestedDownload] {
        func fault(_ line: Int, _ message: String) -> UsageError {
            arguments.error("\(name), line \(line): \(message)")
        }
        let entries: [DownloadList.Entry]
        do throws(DownloadList.Fault) {
            entries = try read()
        } catch {
            throw fault(error.line, "\(error.message).")
        }
        return try entries.map { entry throws(UsageError) in
            let own = try options(of: entry, fault)
            do throws(UsageError) {
                return try download(entry, own)
            } catch {
                throw fault(entry.line, error.message)
            }
        }
    }

    private func download(
        _ entry: DownloadList.Entry,
        _ own: Arguments?
    ) throws(UsageError) -> RequestedDownload {
        var options = common
        if let own {
            var merged = arguments
            merged.override(by: own, keepingBoth: DownloadOptions.repeated)
            options = try DownloadOptions(merged, isDetached: isDetached, sharing: common)
        }
        if let name = entry.name { options.output = name }
        options.add(
            mirrors: try entry.mirrors.map { text throws(UsageError) in
                try arguments.webAddress(text)
            }
        )
        let match = AddressPattern.Match(address: entry.address, values: [])
        let download = try RequestedDownload(match, options, digests, arguments)
        let base = common.directory.text == "/" ? "/" : "\(common.directory.text)/"
        guard "\(download.directory)/".hasPrefix(base) else {
            throw arguments.error(
                "'\(download.directory)' is not below '\(common.directory.text)'; --directory / allows it."
            )
        }
        return download
    }

    /// Reads the options of an entry as ``ArgumentParser`` reads those of a command line; nil if it has none.
    private func options(
        of entry: DownloadList.Entry,
        _ fault: (Int, String) -> UsageError
    ) throws(UsageError) -> Arguments? {
        if entry.options.isEmpty { return nil }
        var options = Arguments()
        for line in entry.options {
            let name = DownloadOptions.namesOfAria2[line.name] ?? line.name
            guard let option = DownloadOptions.ofLists.first(where: { $0.name == name }) else {
                let word = line.name.prefix { $0.isLetter || $0.isNumber || $0 == "-" }
                throw fault(line.line, "a download in a list has no option '\(word)'.")
            }
            switch (option.value, line.value) {
            case (nil, nil), (nil, "true"): options.append("", for: option)
            case (nil, "false"): options.reset(option)
            case (nil, let value?):
                throw fault(line.line, "'\(name)' is true or false, not '\(value)'.")
            case (let value?, nil):
                throw fault(line.line, "'\(name)' needs a value: \(name)=\(value).")
            case (_, let value?):
                guard !RequestFields.isIncomplete(value, of: option) else {
                    throw fault(
                        line.line,
                        "'\(name)' is whole in a list, without a file or a question."
                    )
                }
                options.append(value, for: option)
            }
        }
        return options
    }
}
