package import FerrySystem

/// A file that has come along with a call, and what it was then.
package struct PassedFile: Sendable {
    /// The file.
    package let file: UserFile
    /// Which file it is, and its state; `nil` for what is no regular file.
    package let identity: Result<FileIdentity?, SystemCallError>

    /// Looks at a file, which may take for ever.
    init(inspecting file: UserFile) {
        self.file = file
        identity = Result { () throws(SystemCallError) in
            try file.withDescriptor { (file) throws(SystemCallError) in
                try file.status().isRegularFile ? try file.identity() : nil
            }
        }
    }
}
