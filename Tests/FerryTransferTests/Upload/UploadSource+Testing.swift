import FerryHTTP
import FerrySystem
import FerryTestSupport

@testable import FerryTransfer

extension UploadSource {
    /// A source of a file that is open.
    nonisolated convenience init(_ file: UserFile, identity: FileIdentity) {
        self.init(byteCount: identity.size, on: file.queue) {
            FileBodySource.Opened(file, identity: identity)
        }
    }
}
