import Ferry

/// The transfers that a command line names: some by their numbers, groups of them, or all.
///
/// A group consists of the transfers of one `ferry get`, or of one background session of another application. `@12` is
/// the group that transfer 12 belongs to, whether that has ended or not.
struct TransferSelection: Hashable, Sendable {
    /// The option that names all transfers.
    static let all = OptionSyntax("all", letter: "a", help: "all transfers of all applications")
    /// The paragraph of a command's help about groups.
    static let discussion =
        "@ID stands for all transfers of the 'ferry get' that the transfer with this ID belongs to, such as those of a list."

    private enum Name: Hashable {
        case transfer(Int)
        case group(of: Int)
    }

    private let names: [Name]
    private let isAll: Bool

    /// Reads a command line.
    ///
    /// - Parameters:
    ///   - arguments: The command line.
    ///   - count: The number of leading operands that are something else.
    /// - Throws: ``UsageError`` when an operand is no transfer, or names are given beside `--all`.
    init(_ arguments: Arguments, after count: Int = 0) throws(UsageError) {
        names = try arguments.operands.dropFirst(count).map { operand throws(UsageError) in
            let isGroup = operand.hasPrefix("@")
            let digits = isGroup ? operand.dropFirst() : operand[...]
            guard digits.allSatisfy(\.isNumber), let number = Int(digits), number > 0 else {
                throw arguments.error(
                    "'\(digits)' is no transfer; 'ferry list' shows their numbers."
                )
            }
            return isGroup ? .group(of: number) : .transfer(number)
        }
        isAll = arguments.has(Self.all)
        if isAll, !names.isEmpty { throw arguments.error("--all and IDs exclude each other.") }
    }

    /// Whether it names no transfer.
    var isEmpty: Bool { names.isEmpty && !isAll }

    /// Refuses a command line that names no transfer.
    func require(_ arguments: Arguments) throws(UsageError) -> Self {
        if isEmpty { throw arguments.error("ID... is missing; --all stands for all transfers.") }
        return self
    }

    /// The transfers of a selection that have not ended.
    struct Members: Hashable, Sendable {
        /// Their numbers, without duplicates, in the order in which they were named.
        private(set) var identifiers: [Int] = []
        /// Those that were named by their own number.
        private var named: Set<Int> = []
        private var known: Set<Int> = []
        /// The numbers by which groups were named that have ended.
        fileprivate(set) var over: [Int] = []

        /// Whether a transfer is chosen only as one of a group, or of all.
        func isImplied(_ identifier: Int) -> Bool { !named.contains(identifier) }

        fileprivate mutating func insert(_ identifier: Int, isNamed: Bool) {
            if known.insert(identifier).inserted { identifiers.append(identifier) }
            if isNamed { named.insert(identifier) }
        }
    }

    /// Finds the transfers that have not ended; those with a number of their own are not looked for.
    ///
    /// - Parameter daemon: The daemon that has them.
    /// - Returns: The transfers.
    /// - Throws: ``TransferDaemonError/Code/transferNotFound`` when nothing is known of a group, or nothing at all is under way.
    func members(of daemon: TransferDaemon) async throws -> Members {
        var members = Members()
        if isAll {
            for try await transfer in daemon.transfers(matching: .underWay()) {
                members.insert(transfer.id, isNamed: false)
            }
            if members.identifiers.isEmpty {
                throw TransferDaemonError(.transferNotFound, message: "nothing is under way")
            }
        }
        for name in names {
            switch name {
            case .transfer(let number): members.insert(number, isNamed: true)
            case .group(let number):
                let query = try await daemon.group(of: number)
                var isOver = true
                for try await transfer in daemon.transfers(matching: .underWay(query)) {
                    members.insert(transfer.id, isNamed: false)
                    isOver = false
                }
                if isOver { members.over.append(number) }
            }
        }
        return members
    }

    /// Finds the transfers with what is remembered of those that have ended.
    ///
    /// - Parameter daemon: The daemon that has them.
    /// - Returns: The transfers; all of one that is named twice.
    /// - Throws: ``TransferDaemonError/Code/transferNotFound`` when nothing is known of one.
    func all(of daemon: TransferDaemon) async throws -> [PresentOrEnded] {
        var found: [PresentOrEnded] = []
        var known: Set<Int> = []
        func insert(_ transfer: PresentOrEnded) {
            if known.insert(transfer.id).inserted { found.append(transfer) }
        }
        for name in names {
            switch name {
            case .transfer(let number): insert(try await daemon.presentOrEnded(number))
            case .group(let number):
                let query = try await daemon.group(of: number)
                let ended = TransferDaemon.EndedQuery(
                    application: query.application,
                    session: query.session
                )
                for try await transfer in daemon.transfers(matching: query) {
                    insert(.present(transfer))
                }
                // The last one comes first.
                for transfer in try await daemon.endedTransfers(matching: ended).reversed() {
                    insert(.ended(transfer))
                }
            }
        }
        return found
    }
}

extension TransferDaemon {
    /// Returns the query for the group that a transfer belongs to.
    fileprivate func group(of id: Transfer.ID) async throws(TransferDaemonError) -> Query {
        switch try await presentOrEnded(id) {
        case .present(let transfer):
            Query(application: transfer.application, session: transfer.session)
        case .ended(let transfer):
            Query(application: transfer.application, session: transfer.session)
        }
    }
}

extension TransferDaemon.Query {
    /// A query for the transfers of another one that have not ended.
    fileprivate static func underWay(_ query: Self = Self()) -> Self {
        var query = query
        query.states = [.suspended, .waiting, .running]
        return query
    }
}

extension Context {
    /// Performs an action on each transfer of a selection, even after it has failed for one of them.
    ///
    /// One that is chosen only as one of a group, or of all, may end meanwhile.
    ///
    /// - Parameters:
    ///   - selection: The transfers.
    ///   - action: The action, which returns a line for standard output if there is something to say.
    /// - Returns: The exit code; the first failure determines it.
    /// - Throws: ``TransferDaemonError`` when ferryd cannot be reached, or there is nothing to act on.
    func forEach(
        _ selection: TransferSelection,
        _ action: @escaping @MainActor @Sendable (Int) async throws -> String?
    ) async throws -> ExitCode {
        let members = try await selection.members(of: daemon)
        for number in members.over {
            console.errorLine("ferry: all transfers of @\(number) have ended")
        }
        let code = try await forEach(members.identifiers) { id in
            do {
                return try await action(id)
            } catch let error as TransferDaemonError
                where error.code == .transferNotFound && members.isImplied(id)
            {
                return nil
            }
        }
        return code == .success && !members.over.isEmpty ? .notFound : code
    }
}
