package import FerrySystem

/// The means to answer a call.
///
/// Keep it until the call is answered; a reply that is released answers with
/// ``TransferInterfaceError/internalFailure(reason:)``, so that no client waits forever. After the last answer, or
/// when the connection is gone, further answers do nothing.
@LoopActor
package final class Reply<Method: TransferMethod> {
    private let call: PendingCall

    init(_ call: PendingCall) {
        self.call = call
    }

    isolated deinit {
        call.fail(.transfer(.internalFailure(reason: "\(Method.name) was not answered")))
    }

    /// Whether the client accepts a stream; otherwise the first answer is the last.
    package var isStream: Bool { call.kind == .stream }

    /// Whether an answer can still be given and the client waits for it.
    package var isOpen: Bool { call.isOpen }

    /// Whether the client keeps up; while it does not, leave out what can be left out.
    ///
    /// A client with more than ``VarlinkServer/Limits/queuedByteCount`` bytes of unread answers is disconnected.
    package var isWritable: Bool { call.isWritable }

    /// Called whenever the client has caught up after ``isWritable`` was false.
    package var onWritable: (@LoopActor () -> Void)? {
        get { call.onWritable }
        set { if call.isOpen { call.onWritable = newValue } }
    }

    /// Called once if the connection closes before the last answer.
    package var onClose: (@LoopActor () -> Void)? {
        get { call.onClose }
        set { if call.isOpen { call.onClose = newValue } }
    }

    /// Returns the file that was passed with the call, the first time that it is called.
    package func takeFile() -> PassedFile? { call.takeFile() }

    /// Answers the call.
    package func success(_ value: Method.Reply) { call.answer(value, continues: false) }

    /// Answers the call with one of several replies, of which ``success(_:)`` is the last.
    ///
    /// For a client that has not requested a stream, it is the only one.
    package func stream(_ value: Method.Reply) { call.answer(value, continues: true) }

    /// Answers the call with an error.
    package func failure(_ error: TransferInterfaceError) { call.fail(.transfer(error)) }
}

extension Reply where Method.Reply == Wire.Empty {
    /// Answers that the call has been carried out.
    package func success() { success(Wire.Empty()) }
}
