package import FerrySystem
@preconcurrency import Glibc

/// A client's connection, as the server sees it.
@LoopActor
package final class VarlinkConnection {
    /// How much is read at once, before others have their turn.
    private static let readByteCount = 64 * 1024
    /// From how many bytes of answers on they are sent at once instead of with those that follow.
    private static let promptByteCount = 16 * 1024

    /// The client's process, as the kernel noted it when it connected.
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
    /// How many bytes they have come in.
    private var pendingByteCount = 0
    private var nextCall = 0

    /// The client will send no more.
    private var hasInputEnded = false
    /// The client is gone; what it had sent is still carried out.
    private var hasHungUp = false
    private var isTakingCalls = false
    /// A call waits until the file that came along with it was looked at, and so do those behind it.
    private var isInspecting = false
    /// Until when a file is waited for whose client is gone.
    private var patience: LoopTimer?
    /// The client has let answers pile up and not caught up since.
    private var isBackedUp = false
    /// Answers are sent when the others that are at hand have been given, too.
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

    /// How many bytes are held for the client, in both directions.
    var heldByteCount: Int { input.byteCount + pendingByteCount + queuedByteCount }

    private var queuedByteCount: Int { output.byteCount + replies.heldByteCount }

    func start() throws(SystemCallError) {
        watch = try EventLoop.shared.watch(descriptor, for: watched) { [weak self] readiness in
            self?.ready(for: readiness)
        }
    }

    /// Ends the connection at once; its open replies are told.
    package func close() { close(because: .closedByServer) }

    func close(because reason: DisconnectReason) {
        guard isOpen else { return }
        // What has been answered so far is the client's, if there is room for it.
        if isFlushScheduled { flush() }
        isOpen = false
        patience?.cancel()
        patience = nil
        watch?.cancel()
        watch = nil
        // The descriptor is closed now and not when the last holder lets go: the client waits.
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

    /// Sends answers once the loop has dealt with what is at hand, often with further answers.
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
        // An error counts as much as a hang-up: neither comes with anything but what was sent.
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

    /// The client is gone: carries out what it has sent, however much, then closes.
    ///
    /// A client may hand over its calls and exit, so that they count as much as any.
    private func hangUp() {
        guard isOpen, !hasHungUp else { return }
        hasHungUp = true
        // Nothing silences the hang-up but not watching.
        watch?.cancel()
        watch = nil
        output = OutputBuffer()
        drain()
    }

    /// Takes what the kernel holds of a client that is gone, a part at a time.
    private func drain() {
        guard isOpen else { return }
        let mayHoldMore = receive()
        takeCalls()
        guard isOpen else { return }
        // What waits for a file comes back here.
        guard !isInspecting else { return waitForFile() }
        if mayHoldMore {
            LoopActor.perform { [weak self] in self?.drain() }
        } else {
            close(because: .closedByPeer)
        }
    }

    /// A call of a client that is gone waits for its file: nobody else does, and not for ever.
    private func waitForFile() {
        patience?.cancel()
        patience = EventLoop.shared.schedule(after: limits.hangUpPatience) { [weak self] in
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
                files.arrived(byteCount: count, descriptors: received.descriptors)
                input.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                return count > 0
            } catch {
                // With ECONNRESET the client is gone; the loop tells that too.
                hasInputEnded = true
                return false
            }
        }
    }

    /// Whether another call may be begun; a client that is gone cannot have many.
    private var mayTakeCall: Bool {
        if isInspecting { return false }
        if hasHungUp { return true }
        if isBackedUp { return false }
        return calls.isEmpty
            || calls.count < limits.pendingCallCount && pendingByteCount < limits.pendingByteCount
    }

    private func takeCalls() {
        // An answer that is given at once comes back here.
        guard !isTakingCalls else { return }
        isTakingCalls = true
        defer { isTakingCalls = false }
        do throws(MessageError) {
            while isOpen, mayTakeCall, let message = try input.next() {
                try NestingDepth.check(message, limit: limits.message.depth)
                // Its end is a byte, too.
                let file = files.taken(byteCount: message.count + 1)
                let call = try IncomingCall(from: message)
                if let file {
                    inspect(file, of: call, byteCount: message.count)
                } else {
                    take(call, byteCount: message.count, nil)
                }
            }
        } catch {
            close(because: .invalidMessage(error))
        }
    }

    /// Has a file be looked at, off the loop: its file system may not answer, and holds up this client alone.
    private func inspect(_ file: UserFile, of call: IncomingCall, byteCount: Int) {
        isInspecting = true
        file.queue.perform { [weak self] in
            let passed = PassedFile(inspecting: file)
            LoopActor.perform { [weak self] in
                guard let self, isOpen else { return }
                isInspecting = false
                patience?.cancel()
                patience = nil
                take(call, byteCount: byteCount, passed)
                guard !hasHungUp else { return drain() }
                takeCalls()
                settle()
            }
        }
    }

    private func take(_ incoming: IncomingCall, byteCount: Int, _ file: PassedFile?) {
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
        if kind != .oneway { replies.open(call.number) }
        server?.dispatch(incoming.content, call, from: self)
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
        noteBackUp()
    }

    private func noteBackUp() {
        if queuedByteCount >= limits.writableByteCount {
            isBackedUp = true
        } else if isBackedUp, queuedByteCount <= limits.writableByteCount / 2 {
            isBackedUp = false
            let waiting = calls.values.sorted { $0.number < $1.number }
            for call in waiting where call.isWritable { call.onWritable?() }
        }
    }

    // MARK: - Both

    /// Waits for what the connection now needs, or closes when it needs nothing any more.
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
