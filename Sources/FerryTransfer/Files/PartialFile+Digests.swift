import FerryHTTP
import FerrySystem
import Synchronization

extension PartialFile {
    /// A verification of a file's bytes that runs off the loop.
    final class Verification: Sendable {
        private let isCancelled = Atomic(false)

        /// Cancels the verification, which then reports nothing.
        func cancel() { isCancelled.store(true, ordering: .relaxed) }

        fileprivate var goesOn: Bool { !isCancelled.load(ordering: .relaxed) }
    }

    /// The queue for comparing bytes with digests: one file after the other, so that the disk and a processor
    /// are left for other work.
    private static let verificationQueue = BlockingQueue(label: "ferry.digests")

    /// Compares the file's bytes with digests.
    ///
    /// - Parameters:
    ///   - checks: The digests.
    ///   - completion: Called on the loop, always later, with the first mismatch, if any.
    /// - Returns: The verification, which can be cancelled.
    func verify(
        _ checks: [DigestCheck],
        completion: @escaping @LoopActor @Sendable (Result<String?, TransferError>) -> Void
    ) -> Verification {
        let verification = Verification()
        guard let content else {
            let error = notBegun
            LoopActor.perform { completion(.failure(error)) }
            return verification
        }
        let (file, byteCount) = (content.file, content.byteCount)
        Self.verificationQueue.perform {
            let result = Result { () throws(TransferError) in
                try file.mismatch(with: checks, byteCount: byteCount, while: verification)
            }
            LoopActor.perform {
                if verification.goesOn { completion(result) }
            }
        }
        return verification
    }
}

extension PartialFile.OpenFile {
    fileprivate func mismatch(
        with checks: [DigestCheck],
        byteCount: Int64,
        while verification: PartialFile.Verification
    ) throws(TransferError) -> String? {
        for check in checks {
            let range = check.range ?? 0..<byteCount
            let function = check.digest.algorithm.function
            let value = try hash(of: range, by: function, while: verification)
            if value != check.digest.value { return check.mismatch(value) }
        }
        return nil
    }

    private func hash(
        of range: Range<Int64>,
        by function: MessageDigest,
        while verification: PartialFile.Verification
    ) throws(TransferError) -> [UInt8] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { buffer.deallocate() }
        var computation = try Self.computation(function)
        var offset = range.lowerBound
        while offset < range.upperBound, verification.goesOn {
            let length = Int(min(Int64(buffer.count), range.upperBound - offset))
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<length])
            let count = try read(into: part, at: offset)
            computation.update(UnsafeRawBufferPointer(rebasing: part[..<count]))
            offset += Int64(count)
        }
        do throws(HTTPError) {
            return try computation.finish()
        } catch {
            throw TransferError(error)
        }
    }

    private static func computation(
        _ function: MessageDigest
    ) throws(TransferError) -> MessageDigestComputation {
        do throws(HTTPError) {
            return try MessageDigestComputation(function)
        } catch {
            throw TransferError(error)
        }
    }
}
