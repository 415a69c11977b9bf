extension PartialFile {
    /// What is known of the file that stands behind the name.
    struct Content {
        var file: OpenFile
        var record: Record
        var byteCount: Int64
        var synchronizedByteCount: Int64
        /// Whether the file's entry in its directory, and its record, are on the disk.
        var isAnchored: Bool
        /// Whether the record is with the file, and not only here.
        var isRecorded = true
    }
}
