package import FerrySystem
@preconcurrency import Glibc

/// A client's connection, as the server sees it.
@LoopActor
package final class VarlinkConnection {
    /// The number of bytes read at once, before other connections have their turn.
    private static let readByteCount = 64 * 1024
    /// The number of bytes of answers from which they are sent immediately instead of with those that follow.
    private static let promptByteCount = 16 * 1024

    /// The client's process, as the kernel recorded it when it connected.
    package nonisolated let peer: PeerCredentials
    /// Whether the client can still call and be answered.
    package private(set) var isOpen = true

    private let limits: VarlinkServer.Limits
    private weak var server: VarlinkServer?
    private var socket: FileDescriptor?
    private let descriptor: Int32
    private var watch: Watch?
    private var watched: Readiness = .readable

    private var input: MessageSplitter
    private var files = ArrivingFiles()
    private var output = OutputBuffer()
    private var replies = ReplyQueue()
    /// The calls that have not been answered, by number.
    private var calls: [Int: PendingCall] = [:]
    /// The size of their messages in bytes.
    private var pendingByteCount = 0
    /// The number of calls that have brought a file and have not been answered.
    private var pendingFileCount = 0
    private var nextCall = 0

    /// Whether the client will send no more.
    private var hasInputEnded = false
    /// Whether the client is gone; the calls that it has sent are still carried out.
    private var hasHungUp = false
    private var isTakingCalls = false
    /// Whether a call, and those after it, wait until the file that was passed with it has been inspected.
    private var isInspecting = false
    /// The timer that limits the wait for a file whose client is gone.
    private var hangUpTimer: LoopTimer?
    /// Whether the client has fallen behind with reading answers and not caught up since.
    private var isBackedUp = false
    /// Whether answers are about to be sent, together with those that are given until then.
    private var isFlushScheduled = false

    init(
        _ socket: consuming FileDescriptor,
        peer: PeerCredentials,
        server: VarlinkServer,
        limits: VarlinkServer.Limits
    ) {
        self.peer = peer
        self.limits = limits
        self.server = server
        descriptor = socket.rawValue
        self.socket = consume socket
        input = MessageSplitter(limit: limits.message.byteCount)
    }

    /// Whether further answers would be sent soon.
    var isKeepingUp: Bool { isOpen && !hasHungUp && !isBackedUp }

    /// Whether the client waits for no answer, and no event.
    var isIdle: Bool { calls.isEmpty && !isInspecting }

    /// The number of bytes held for the client, in both directions.
    var heldByteCount: Int { input.byteCount + pendingByteCount + queuedByteCount }

    private var queuedByteCount: Int { output.byteCount + replies.heldByteCount }

    func start() throws(SystemCallError) {
        watch = try EventLoop.shared.watch(descriptor, for: watched) { [weak self] readiness in
            self?.ready(for: readiness)
        }
    }

    /// Ends the connection immediately; its open replies are notified.
    package func close() { close(because: .closedByServer) }

    func close(because reason: DisconnectReason) {
        guard isOpen else { return }
        // The answers so far are still sent, if there is room for them.
        if isFlushScheduled { flush() }
        isOpen = false
        hangUpTimer?.cancel()
        hangUpTimer = nil
        watch?.cancel()
        watch = nil
        // The descriptor is closed now and not with the last reference: the client waits.
        socket = nil
        let unanswered = calls.values.sorted { $0.number < $1.number }
        calls = [:]
        for call in unanswered { call.connectionClosed() }
        server?.connectionDidClose(self, because: reason)
    }

    func answer(_ call: PendingCall, _ message: [UInt8], isLast: Bool) {
        guard isOpen else { return }
        if isLast, calls.removeValue(forKey: call.number) != nil {
            pendingByteCount -= call.byteCount
            if call.hasBroughtFile { pendingFileCount -= 1 }
        }
        if call.kind != .oneway {
            let ready = replies.add(message, to: call.number, isLast: isLast)
            if !hasHungUp { for message in ready { output.append(message) } }
        }
        if output.byteCount >= Self.promptByteCount { flush() } else { flushSoon() }
        if queuedByteCount > limits.queuedByteCount {
            close(because: .unreadReplies(byteCount: queuedByteCount))
            return
        }
        takeCalls()
        settle()
    }

    /// Sends answers once the loop has handled the current events, which often lead to further answers.
    private func flushSoon() {
        guard !isFlushScheduled, output.byteCount > 0 else { return }
        isFlushScheduled = true
        LoopActor.perform { [weak self] in
            guard let self, isOpen else { return }
            flush()
            takeCalls()
            settle()
        }
    }

    // MARK: - Reading

    private func ready(for readiness: Readiness) {
        if readiness.contains(.writable) {
            flush()
            takeCalls()
        }
        guard isOpen else { return }
        // An error is handled like a hang-up: after either, only bytes that were sent before can be read.
        if !readiness.isDisjoint(with: .hangUp) {
            hangUp()
        } else {
            if readiness.contains(.readable) {
                _ = receive()
                takeCalls()
            }
            settle()
        }
    }

    /// Handles that the client is gone: carries out all calls that it has sent, then closes.
    ///
    /// A client may send its calls and exit, so these calls count like any others.
    private func hangUp() {
        guard isOpen, !hasHungUp else { return }
        hasHungUp = true
        // Nothing silences the hang-up but not watching.
        watch?.cancel()
        watch = nil
        output = OutputBuffer()
        drain()
    }

    /// Reads the remaining bytes of a client that is gone, a part at a time.
    private func drain() {
        guard isOpen else { return }
        let mayHoldMore = receive()
        takeCalls()
        guard isOpen else { return }
        // The end of an inspection calls this again.
        guard !isInspecting else { return waitForFile() }
        if mayHoldMore {
            LoopActor.perform { [weak self] in self?.drain() }
        } else {
            close(because: .closedByPeer)
        }
    }

    /// Limits the time for which a call of a client that is gone waits for its file.
    private func waitForFile() {
        hangUpTimer?.cancel()
        hangUpTimer = EventLoop.shared.schedule(after: limits.hangUpTimeout) { [weak self] in
            self?.close(because: .fileDoesNotAnswer)
        }
        server?.connectionDidHangUp(self)
    }

    /// Reads once and returns whether there may be more.
    private func receive() -> Bool {
        withUnsafeTemporaryAllocation(byteCount: Self.readByteCount, alignment: 16) { buffer in
            do throws(SystemCallError) {
                let received = try SocketMessage.receive(into: buffer, from: descriptor)
                guard let received else { return false }
                let count = received.byteCount
                hasInputEnded = count == 0
                files.arrived(
                    byteCount: count,
                    descriptors: received.descriptors,
                    isIncomplete: received.hasLostDescriptors
                )
                input.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                return count > 0
            } catch {
                // With ECONNRESET the client is gone; the loop reports that too.
                hasInputEnded = true
                return false
            }
        }
    }

    /// Whether another call may begin; a client that is gone cannot have many left.
    private var mayTakeCall: Bool {
        if isInspecting { return false }
        if hasHungUp { return true }
        if isBackedUp || pendingFileCount >= limits.pendingFileCount { return false }
        return calls.isEmpty
            || calls.count < limits.pendingCallCount && pendingByteCount < limits.pendingByteCount
    }

    private func takeCalls() {
        // An answer that is given immediately calls this again.
        guard !isTakingCalls else { return }
        isTakingCalls = true
        defer { isTakingCalls = false }
        do throws(MessageError) {
            while isOpen, mayTakeCall, let message = try input.next() {
                // The end of the message is a byte, too.
                let file = files.taken(byteCount: message.count + 1)
                let call = try IncomingCall(from: message)
                switch file {
                case .file(let file): inspect(file, of: call, byteCount: message.count)
                case .lost: refuseWithoutFile(call, byteCount: message.count)
                case nil: take(call, byteCount: message.count, nil)
                }
            }
        } catch {
            close(because: .invalidMessage(error))
        }
    }

    /// Inspects a file off the loop: its file system may not respond, and then delays this client alone.
    private func inspect(_ file: UserFile, of call: IncomingCall, byteCount: Int) {
        isInspecting = true
        file.queue.perform { [weak self] in
            let passed = PassedFile(inspecting: file)
            LoopActor.perform { [weak self] in
                guard let self, isOpen else { return }
                isInspecting = false
                hangUpTimer?.cancel()
                hangUpTimer = nil
                take(call, byteCount: byteCount, passed)
                guard !hasHungUp else { return drain() }
                takeCalls()
                settle()
            }
        }
    }

    private func take(_ incoming: IncomingCall, byteCount: Int, _ file: PassedFile?) {
        let call = begin(incoming, byteCount: byteCount, file)
        server?.dispatch(incoming.content, call, from: self)
    }

    /// Refuses a call whose file was lost, so that the client tries it again.
    private func refuseWithoutFile(_ incoming: IncomingCall, byteCount: Int) {
        let reason = "no descriptor was left for the file that came with the call"
        begin(incoming, byteCount: byteCount, nil)
            .fail(.transfer(.resourceUnavailable(reason: reason)))
    }

    private func begin(
        _ incoming: IncomingCall,
        byteCount: Int,
        _ file: PassedFile?
    ) -> PendingCall {
        nextCall += 1
        let kind: PendingCall.Kind =
            incoming.isOneway ? .oneway : incoming.wantsMore ? .stream : .single
        let call = PendingCall(
            number: nextCall,
            kind: kind,
            byteCount: byteCount,
            file: file,
            connection: self
        )
        calls[call.number] = call
        pendingByteCount += byteCount
        if call.hasBroughtFile { pendingFileCount += 1 }
        if kind != .oneway { replies.open(call.number) }
        return call
    }

    // MARK: - Writing

    private func flush() {
        isFlushScheduled = false
        guard isOpen, !hasHungUp else { return }
        do throws(SystemCallError) {
            try output.drain { bytes throws(SystemCallError) in
                try SocketMessage.send(bytes, over: descriptor)
            }
        } catch {
            // Not at once: the caller is in the middle of answering.
            LoopActor.perform { [weak self] in self?.hangUp() }
        }
        recordBackUp()
    }

    private func recordBackUp() {
        if queuedByteCount >= limits.writableByteCount {
            isBackedUp = true
        } else if isBackedUp, queuedByteCount <= limits.writableByteCount / 2 {
            isBackedUp = false
            let waiting = calls.values.sorted { $0.number < $1.number }
            for call in waiting where call.isWritable { call.onWritable?() }
        }
    }

    // MARK: - Both

    /// Updates what the loop watches for, or closes the connection when it needs nothing more.
    private func settle() {
        guard isOpen, !hasHungUp, !isTakingCalls else { return }
        if hasInputEnded, isIdle, output.byteCount == 0 {
            close(because: .closedByPeer)
            return
        }
        var wanted: Readiness = []
        if !hasInputEnded, mayTakeCall { wanted.insert(.readable) }
        if output.byteCount > 0, !isFlushScheduled { wanted.insert(.writable) }
        if wanted != watched {
            do throws(SystemCallError) {
                try watch?.update(wanted)
                watched = wanted
            } catch {
                close(because: .failed(error))
                return
            }
        }
        server?.heldByteCountDidChange(of: self)
    }
}
