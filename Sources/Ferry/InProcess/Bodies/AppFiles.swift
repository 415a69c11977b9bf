import FerrySystem

/// What makes calls on the app's own files.
enum AppFiles {
    /// Several threads: a file whose server is gone holds up one of them, for as long as the kernel waits.
    static let queue = BlockingQueue(label: "ferry.files", threadLimit: 32)
}
