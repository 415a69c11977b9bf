/// Untrusted bytes, with numbers in this machine's order, that are read only within their bounds.
struct NativeBytes {
    private let bytes: ArraySlice<UInt8>

    var count: Int { bytes.count }

    init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

    private init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    /// The number that begins at `offset`.
    func integer<T: FixedWidthInteger>(
        at offset: Int,
        as type: T.Type = T.self
    ) throws(MalformedNetworkMessage) -> T {
        let part = try part(from: offset, count: MemoryLayout<T>.size)
        return part.bytes.withUnsafeBytes { $0.loadUnaligned(as: T.self) }
    }

    /// The byte at `offset`.
    func byte(at offset: Int) throws(MalformedNetworkMessage) -> UInt8 { try integer(at: offset) }

    /// The `count` bytes from `offset` on.
    func part(from offset: Int, count: Int) throws(MalformedNetworkMessage) -> NativeBytes {
        guard offset >= 0, count >= 0, offset <= bytes.count, count <= bytes.count - offset else {
            throw MalformedNetworkMessage()
        }
        return NativeBytes(bytes.dropFirst(offset).prefix(count))
    }

    /// Returns the bytes after the first `count`; none if there are no more.
    func dropFirst(_ count: Int) -> NativeBytes { NativeBytes(bytes.dropFirst(count)) }
}
