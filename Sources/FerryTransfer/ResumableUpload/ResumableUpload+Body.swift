package import FerryHTTP
package import FerrySystem

extension ResumableUpload {
    /// What an upload sends.
    @LoopActor
    package struct Body {
        /// Where it comes from; `nil` for what the decider gives each time.
        let source: (any HTTPBodySource)?
        /// How many bytes it has, if that is known.
        let byteCount: Int64?
        /// Whether any part of it can be read any number of times.
        let isRepeatable: Bool
        /// What a server of tus is told that it is called.
        let name: String
        private let check: Check

        /// Finds out why a body is not what it was when the upload began, and tells it at any time later on;
        /// `nil` when it is.
        package typealias Check =
            @LoopActor (_ handler: @escaping @LoopActor (TransferError?) -> Void) -> Void

        /// A body that can be read again, or at least once.
        ///
        /// - Parameters:
        ///   - source: Where it comes from.
        ///   - isRepeatable: Whether any part of it can be read any number of times.
        ///   - name: What a server of tus is told that it is called, if the app does not say.
        ///   - check: Whether it is what it was when the upload began.
        package init(
            _ source: any HTTPBodySource,
            isRepeatable: Bool = true,
            name: String = Self.namelessName,
            check: @escaping Check = { $0(nil) }
        ) {
            self.source = source
            byteCount = source.byteCount
            self.isRepeatable = isRepeatable
            self.name = name
            self.check = check
        }

        /// A body that the decider gives.
        ///
        /// - Parameter byteCount: How many bytes it has, if that is known.
        package init(onDemand byteCount: Int64?) {
            source = nil
            self.byteCount = byteCount
            isRepeatable = false
            name = Self.namelessName
            check = { $0(nil) }
        }

        /// There are servers of tus that take nothing without a name.
        package nonisolated static let namelessName = "upload"

        /// Finds out why no part of the body can be sent, if so; a file may take its time to tell.
        func findFailure(then handler: @escaping @LoopActor (TransferError?) -> Void) {
            check(handler)
        }
    }
}
