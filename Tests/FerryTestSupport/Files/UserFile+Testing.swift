package import FerrySystem

extension UserFile {
    /// A file with threads of its own for the calls on it.
    package convenience init(_ descriptor: consuming FileDescriptor) {
        self.init(descriptor, on: BlockingQueue(label: "test.file", threadLimit: 4))
    }
}
