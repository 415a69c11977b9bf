import FerrySystem

/// Synchronizes bytes to the disk, and verifies their digests.
extension Download {
    /// Arms the timer for bytes that are not on the disk; without bytes there is no timer.
    func synchronizeSoon() {
        guard case .periodic(let interval, let synchronizer) = configuration.synchronization,
            synchronizationTimer == nil, !isSynchronizing
        else { return }
        synchronizationTimer = EventLoop.shared.schedule(after: interval) { [weak self] in
            self?.synchronize(by: synchronizer)
        }
    }

    private func synchronize(by synchronizer: FileSynchronizer) {
        synchronizationTimer = nil
        isSynchronizing = true
        file.synchronize(by: synchronizer) { result in
            self.isSynchronizing = false
            guard !self.machine.hasEnded else { return }
            switch result {
            case .success:
                if let checkpoint = self.checkpoint {
                    if checkpoint.synchronizedBytes.byteCount < checkpoint.writtenByteCount {
                        self.synchronizeSoon()
                    }
                    self.events.checkpointed(checkpoint)
                }
            case .failure(let error):
                self.run { $0.fileFailed(error) }
            }
        }
    }

    /// Ends the download at once and without an event, and forces its bytes onto the disk.
    ///
    /// - Parameter completion: Called on the loop, always later, with what is known about the file; nil if there is
    ///   nothing to keep, or if the download does not keep its file for later.
    package func flush(
        _ completion: @escaping @LoopActor @Sendable (Checkpoint?) -> Void
    ) {
        cancel()
        guard file.isRecovered,
            case .periodic(_, let synchronizer) = configuration.synchronization
        else { return LoopActor.perform { completion(nil) } }
        // After a failure, the checkpoint is of those bytes that were on the disk before.
        file.synchronize(by: synchronizer) { _ in completion(self.file.checkpoint) }
    }

    func synchronizeAll() {
        stopSynchronizing()
        guard case .periodic(_, let synchronizer) = configuration.synchronization else {
            return confirm { $0.synchronized() }
        }
        file.synchronize(by: synchronizer) { result in
            switch result {
            case .success: self.confirm { $0.synchronized() }
            case .failure(let error): self.run { $0.fileFailed(error) }
            }
        }
    }

    func verify(_ checks: [DigestCheck]) {
        verification = file.verify(checks) { result in
            self.verification = nil
            switch result {
            case .success(let mismatch): self.confirm { $0.verified(mismatch) }
            case .failure(let error): self.run { $0.fileFailed(error) }
            }
        }
    }

    /// Continues towards the end if the file is still intact.
    private func confirm(_ input: (inout StateMachine) -> Void) {
        guard !machine.hasEnded else { return }
        do throws(TransferError) {
            try file.requireIntact()
            run(input)
        } catch {
            run { $0.fileFailed(error) }
        }
    }

    func stopSynchronizing() {
        synchronizationTimer?.cancel()
        synchronizationTimer = nil
    }
}
