import FerrySystem

extension Download {
    /// Makes a load that brings its answer to a receiver.
    package typealias LoadMaker = @LoopActor (any LoadReceiver) -> Load

    /// Makes what brings the answer to a download's first request, where others ask for the same.
    ///
    /// - Parameters:
    ///   - receiver: The download, as who gets the answer.
    ///   - makeLoad: Makes the load that the download would have by itself.
    package typealias Sharing =
        @LoopActor (
            _ receiver: any LoadReceiver, _ makeLoad: @escaping LoadMaker
        ) -> any AnswerSource
}
