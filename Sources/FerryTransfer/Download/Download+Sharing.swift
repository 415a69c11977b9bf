import FerrySystem

extension Download {
    /// Makes a load that delivers its response to a receiver.
    package typealias LoadMaker = @LoopActor (any LoadReceiver) -> Load

    /// Makes the source of the response to a download's first request, if other downloads make the same
    /// request.
    ///
    /// - Parameters:
    ///   - receiver: The download, which receives the response.
    ///   - makeLoad: Makes the load that the download would use alone.
    package typealias Sharing =
        @LoopActor (
            _ receiver: any LoadReceiver, _ makeLoad: @escaping LoadMaker
        ) -> any AnswerSource
}
