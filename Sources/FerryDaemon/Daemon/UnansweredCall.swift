import FerryStore
import FerrySystem
import FerryWire

/// A call that the state machine has not answered yet.
struct UnansweredCall {
    typealias Answer = Result<DaemonStateMachine.Answer, TransferInterfaceError>

    /// Answers it.
    let answer: @LoopActor (Answer) -> Void
    /// What a person does by it, for the log.
    let deed: PersonalDeed?
    /// The file that was passed with it, to create an upload.
    private(set) var file: ArrivingFile?

    /// Returns the file, the first time that it is called.
    mutating func takeFile() -> ArrivingFile? {
        defer { file = nil }
        return file
    }
}

/// What a person does with transfers or applications, in the words of the log.
struct PersonalDeed {
    /// The words, such as "paused it".
    let words: String
    /// The task that it affects; `nil` if it affects all, or an application.
    let task: TaskID?
    /// The process that has called.
    let process: Int32

    /// Returns the line for what has been done.
    func text(_ answer: DaemonStateMachine.Answer) -> String {
        guard case .cancelled(let count) = answer else { return "process \(process) has \(words)" }
        return "process \(process) has \(words): \(count) transfers cancelled"
    }
}
