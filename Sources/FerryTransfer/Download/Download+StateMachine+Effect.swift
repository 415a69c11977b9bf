import FerryHTTP

extension Download.StateMachine {
    /// What the owner must do, in the order given.
    enum Effect: Equatable {
        case send(Request)
        case cancelLoad
        case takeBody
        case skipBody
        /// Give up what the file holds and begin it with bytes of this version.
        case beginFile(ResourceVersion)
        /// Go on at the end of the file, of whose version more may be known now.
        case continueFile(ResourceVersion)
        /// Give up what the file holds, with nothing in its place.
        case discardFile
        /// Compare the first bytes of those that have just arrived with the file's.
        case compare(count: Int, at: Int64)
        /// Write the bytes that have just arrived, without so many of the first.
        case write(dropping: Int)
        case reportRestart(reason: String)
        case reportResponse(HTTPResponseHead, TransferRequest)
        case reportResumption(offset: Int64, total: Int64?)
        case reportProgress(received: Int64, total: Int64?)
        case synchronize
        /// Compare the file with digests.
        case verify([DigestCheck])
        /// Have the file take bytes at any place.
        case beginSegments
        /// Make an ordinary file of one that is complete.
        case endSegments
        /// Find out whether there may be another connection to a source, and tell.
        case askForConnection(source: Int)
        /// Give back a connection that was lent.
        case giveConnectionBack(source: Int)
        /// Ask for a part, by a connection of its own.
        case startPart(Int, Request, source: Int)
        case cancelPart(Int)
        /// Ask a mirror for bytes that are at hand.
        case startProbe(Int, TransferRequest, Range<Int64>, source: Int)
        /// Compare the bytes that have just arrived with the file's.
        case compareProbe(Int, count: Int, at: Int64)
        /// Write the first of the bytes that have just arrived.
        case writePart(Int, at: Int64, count: Int)
        case finish(DownloadResult)
        case fail(TransferError)
    }
}
