import FerrySystem

/// A descriptor that can be put into a collection.
final class FileDescriptorBox: Sendable {
    private let owned: FileDescriptor
    var descriptor: Int32 { owned.rawValue }

    init(owning descriptor: Int32) { owned = FileDescriptor(owning: descriptor) }
}
