package import FerryTransfer

extension Wire.Failure {
    /// Creates the message about an error.
    package init(_ error: TransferError) {
        self.init(code: error.code.rawValue, message: error.message)
    }

    /// The error's code; `nil` if this version does not know it.
    package var errorCode: TransferError.Code? { TransferError.Code(rawValue: code) }
}
