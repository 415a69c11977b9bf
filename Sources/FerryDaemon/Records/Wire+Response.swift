import FerryWire

extension Wire.Response {
    /// How many bytes the names and values of its header fields have.
    var fieldByteCount: Int { fields.reduce(0) { $0 + $1.byteCount } }

    /// The same with no more bytes of header fields, of which the longest are left out.
    ///
    /// An answer is kept in the queue until its task is gone, and once more with the event that tells of it.
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
