extension Wire {
    /// Gives a task another address for the same resource, for a person.
    ///
    /// What it has loaded is kept if it proves to be the same.
    package struct RelinkTask: TransferMethod {
        /// What ``RelinkTask`` is answered with: nothing but that it was done.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "RelinkTask"

        /// The task's id.
        package var id: Int64
        /// The new address: http or https.
        package var url: String

        /// Creates a call.
        package init(id: Int64, url: String) {
            self.id = id
            self.url = url
        }
    }
}
