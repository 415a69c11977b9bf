import FerryHTTP
import FerrySystem

extension Download.StateMachine {
    /// What the owner must do, as far as it is not done.
    typealias Effects = EffectQueue<Effect>

    /// What the owner must do, in the order given.
    ///
    /// Large ones are indirect, so that an effect is passed on cheaply.
    enum Effect: Equatable {
        indirect case send(Request)
        /// Cancel all loads, and give back every connection that was lent.
        case cancelLoads
        case takeBody
        case skipBody
        /// Discard the file's bytes and begin it with bytes of this version.
        indirect case beginFile(ResourceVersion)
        /// Continue at the end of the file; more may be known about its version now.
        indirect case continueFile(ResourceVersion)
        /// Discard the file's bytes, without a replacement.
        case discardFile
        /// Remember an odd answer in place of the file's bytes, and when it came first.
        indirect case recordDoubt(OddAnswer)
        /// Compare the first of the bytes that have just arrived with the file's.
        case compare(count: Int, at: Int64)
        /// Write the bytes that have just arrived, without the given number of first bytes.
        case write(dropping: Int)
        case reportRestart(reason: String)
        indirect case reportResponse(HTTPResponseHead, TransferRequest)
        case reportResumption(offset: Int64, total: Int64?)
        case reportProgress(received: Int64, total: Int64?)
        case synchronize
        /// Compare the file with digests.
        case verify([DigestCheck])
        /// Let bytes be written anywhere in the file.
        case beginSegments
        /// Turn a complete file into an ordinary one.
        case endSegments
        /// Find out whether another connection to a source is allowed, and report the result.
        case askForConnection(source: Int)
        /// Give back a connection that was lent.
        case giveConnectionBack(source: Int)
        /// Request a part on a separate connection.
        indirect case startPart(Int, Request, source: Int)
        case cancelPart(Int)
        /// Request from a mirror bytes that the file already holds.
        indirect case startProbe(Int, TransferRequest, Range<Int64>, source: Int)
        /// Compare the bytes that have just arrived with the file's.
        case compareProbe(Int, count: Int, at: Int64)
        /// Write the first of the bytes that have just arrived.
        case writePart(Int, at: Int64, count: Int)
        indirect case finish(DownloadResult)
        indirect case fail(TransferError)
    }
}
