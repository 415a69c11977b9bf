/// One system call of a run, and what is to happen at it.
struct BoundaryTarget: Hashable, Sendable, CustomStringConvertible {
    /// What happens at a call.
    enum Action: Hashable, Sendable {
        /// The process is killed, and the call is not made.
        case killBefore
        /// The process is killed when the call has returned.
        case killAfter
        /// The call fails once, with an error of this name, and is not made.
        case fail(String)
    }

    /// The call's name.
    let call: String
    /// What it is about, as the tracer says it: the home is `~`.
    let file: String
    /// The how manieth it is of all calls of that name about that file, from 1.
    let index: Int
    /// What happens.
    let action: Action

    init(call: String, file: String, index: Int, action: Action) {
        self.call = call
        self.file = file
        self.index = index
        self.action = action
    }

    /// Reads a description; `nil` if it is none.
    init?(_ description: String) {
        let parts = description.split(separator: "|", omittingEmptySubsequences: false)
        guard parts.count == 4, let index = Int(parts[2]) else { return nil }
        self.init(
            call: String(parts[0]),
            file: String(parts[1]),
            index: index,
            action: Action(name: String(parts[3]))
        )
    }

    /// What repeats the run with `FERRY_BOUNDARY`.
    var description: String { "\(call)|\(file)|\(index)|\(action.name)" }

    /// The tracer's arguments for it.
    var arguments: [String] { [call, file, String(index), action.name] }

    /// Whether the process is killed at it.
    var isKill: Bool { action == .killBefore || action == .killAfter }
}

extension BoundaryTarget.Action {
    init(name: String) {
        switch name {
        case "before": self = .killBefore
        case "after": self = .killAfter
        default: self = .fail(name)
        }
    }

    /// The tracer's word for it.
    var name: String {
        switch self {
        case .killBefore: "before"
        case .killAfter: "after"
        case .fail(let error): error
        }
    }
}
