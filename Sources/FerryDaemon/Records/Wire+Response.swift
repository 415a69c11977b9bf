import FerryWire

extension Wire.Response {
    /// The number of bytes in the names and values of the header fields.
    var fieldByteCount: Int { fields.reduce(0) { $0 + $1.byteCount } }

    /// Returns the response with a maximum of bytes in its header fields, leaving out the longest.
    ///
    /// The queue keeps a response until its task is gone, and again with the event that reports it.
    func bounded(to maximum: Int) -> Wire.Response {
        var excess = fieldByteCount - maximum
        guard excess > 0 else { return self }
        var left: Set<Int> = []
        let longestFirst = fields.indices.sorted {
            (-fields[$0].byteCount, $0) < (-fields[$1].byteCount, $1)
        }
        for index in longestFirst where excess > 0 {
            excess -= fields[index].byteCount
            left.insert(index)
        }
        var bounded = self
        bounded.fields = fields.indices.filter { !left.contains($0) }.map { fields[$0] }
        return bounded
    }
}

extension Wire.Field {
    fileprivate var byteCount: Int { name.utf8.count + value.utf8.count }
}
