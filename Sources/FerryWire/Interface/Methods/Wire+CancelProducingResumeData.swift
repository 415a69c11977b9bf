package import FoundationEssentials

extension Wire {
    /// Ends a task such that it can be continued.
    package struct CancelProducingResumeData: TransferMethod {
        /// What ``CancelProducingResumeData`` is answered with.
        package struct Reply: Codable, Hashable, Sendable {
            /// What to continue from; nothing where that is not possible.
            package var resumeData: Data?

            /// Creates a reply.
            package init(resumeData: Data? = nil) {
                self.resumeData = resumeData
            }
        }

        /// The method's name in the interface.
        package static let name = "CancelProducingResumeData"

        /// The open session's number.
        package var session: Int64
        /// The task's number in its session.
        package var identifier: Int

        /// Creates a call.
        package init(session: Int64, identifier: Int) {
            self.session = session
            self.identifier = identifier
        }
    }
}
