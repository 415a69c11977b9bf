package import FerrySystem

/// A file that goes to the daemon along with a call; it stays open here as long as somebody holds this.
package final class PassedFile: Sendable {
    /// The file.
    package let descriptor: FileDescriptor

    /// Takes over an open file.
    package init(_ descriptor: consuming FileDescriptor) {
        self.descriptor = descriptor
    }
}
