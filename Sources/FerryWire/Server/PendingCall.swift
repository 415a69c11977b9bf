import FerrySystem

/// A call that has not been answered: the part of a reply that does not depend on the method.
@LoopActor
final class PendingCall {
    /// How many answers a call takes.
    enum Kind: Hashable, Sendable {
        case single
        case stream
        case oneway
    }

    /// The call's number on its connection.
    let number: Int
    let kind: Kind
    /// How many bytes it has come in.
    let byteCount: Int
    private weak var connection: VarlinkConnection?
    private var file: PassedFile?

    /// Whether an answer can still be given and reaches the client.
    private(set) var isOpen = true
    var onClose: (@LoopActor () -> Void)?
    var onWritable: (@LoopActor () -> Void)?

    init(
        number: Int,
        kind: Kind,
        byteCount: Int,
        file: PassedFile? = nil,
        connection: VarlinkConnection
    ) {
        self.number = number
        self.kind = kind
        self.byteCount = byteCount
        self.file = file
        self.connection = connection
    }

    /// Whether the client keeps up with what it is sent.
    var isWritable: Bool { isOpen && connection?.isKeepingUp == true }

    /// The file that came along with the call, the first time that it is asked for.
    func takeFile() -> PassedFile? {
        defer { file = nil }
        return file
    }

    /// Answers with `value`; to a stream more may follow.
    func answer(_ value: some JSONCodable, continues: Bool) {
        answer(continues: continues) { value.write(to: &$0) }
    }

    /// Answers with what `write` writes; to a stream more may follow.
    func answer(continues: Bool, _ write: (inout JSONOutput) -> Void) {
        guard isOpen else { return }
        let continues = continues && kind == .stream
        do {
            // A oneway call's reply is thrown away, so that making it would be a waste.
            let message =
                kind == .oneway
                ? []
                : try MessageCoding.message(replying: write, continues: continues)
            send(message, isLast: !continues)
        } catch {
            fail(.transfer(.internalFailure(reason: error.description)))
        }
    }

    /// Answers with an error.
    func fail(_ error: ErrorMessage) {
        // Each reply that is let go of comes here, nearly always long after its answer.
        guard isOpen else { return }
        send(MessageCoding.message(failing: error), isLast: true)
    }

    /// The connection is gone before the call was answered.
    func connectionClosed() {
        guard isOpen else { return }
        let handler = onClose
        finish()
        handler?()
    }

    private func send(_ message: [UInt8], isLast: Bool) {
        guard isOpen else { return }
        if isLast { finish() }
        connection?.answer(self, message, isLast: isLast)
    }

    /// Lets go of the handlers, which often hold the reply that holds this call.
    private func finish() {
        isOpen = false
        file = nil
        onClose = nil
        onWritable = nil
    }
}
