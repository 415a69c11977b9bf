extension Wire.Request {
    /// What stands for a request that cannot be read.
    package static let unreadable = Wire.Request(url: "", method: "", fields: [], idleTimeout: 0)
}
