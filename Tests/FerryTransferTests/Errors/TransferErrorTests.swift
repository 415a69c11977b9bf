import FerryHTTP
import FerrySystem
import FerryTransfer
import Glibc
import Testing

@Suite(.timeLimit(.minutes(5))) struct TransferErrorTests {
    @Test(
        arguments: [
            (.unsupportedURL, .unsupportedURL), (.badURL, .badURL), (.invalidRequest, .badURL),
            (.cannotFindHost, .cannotFindHost), (.cannotConnectToHost, .cannotConnectToHost),
            (.connectionLost, .connectionLost), (.bodyTooShort, .connectionLost),
            (.notConnectedToInternet, .notConnected), (.timedOut, .timedOut),
            (.secureConnectionFailed, .secureConnectionFailed),
            (.serverWithoutTLS, .serverWithoutTLS),
            (.proxyAuthenticationRequired, .proxyAuthenticationRequired),
            (.clientCertificateUndecided, .secureConnectionFailed),
            (.clientCertificateUnusable, .clientCertificateRejected),
            (.clientCertificateRejected, .clientCertificateRejected),
            (.serverCertificateUntrusted, .certificateUntrusted),
            (.serverCertificateHasBadDate, .certificateBadDate),
            (.badServerResponse, .badServerResponse), (.headersTooLarge, .badServerResponse),
            (.cannotDecodeContent, .cannotDecodeContent), (.outOfMemory, .outOfMemory),
            (.writeFailed, .internalFailure), (.aborted, .internalFailure),
            (.other, .internalFailure),
        ] as [(HTTPError.Code, TransferError.Code)]
    )
    func `an exchange's error keeps its meaning and message`(
        code: HTTPError.Code,
        expected: TransferError.Code
    ) {
        let error = TransferError(HTTPError(code: code, message: "what happened"))
        #expect(error == TransferError(code: expected, message: "what happened"))
    }

    @Test(
        arguments: [
            (ENOSPC, .write, .diskFull), (EDQUOT, .write, .diskFull), (ENOSPC, .create, .diskFull),
            (ENOSPC, .open, .diskFull), (ENOMEM, .write, .outOfMemory),
            (ENOENT, .open, .fileMissing),
            (ENOENT, .create, .cannotCreateFile), (EACCES, .create, .cannotCreateFile),
            (EACCES, .open, .cannotCreateFile), (EMFILE, .create, .outOfMemory),
            (ENFILE, .open, .outOfMemory), (EMFILE, .read, .outOfMemory),
            (ENOENT, .read, .fileMissing), (ENOTDIR, .read, .fileMissing),
            (EACCES, .read, .fileUnreadable),
            (EIO, .read, .bodyUnreadable),
            (EIO, .write, .cannotWriteToFile), (EFBIG, .write, .cannotWriteToFile),
            (EROFS, .write, .cannotWriteToFile), (ENOENT, .write, .cannotWriteToFile),
        ] as [(Int32, TransferError.FileOperation, TransferError.Code)]
    )
    func `REL-10: a failed system call is named by what it was for`(
        errno: Int32,
        operation: TransferError.FileOperation,
        code: TransferError.Code
    ) {
        let cause = SystemCallError(call: "pwrite", errno: errno, subject: "/x")
        let error = TransferError(cause, during: operation)
        #expect(error.code == code)
        #expect(error.message == cause.description)
    }
}
