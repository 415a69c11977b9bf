/// Bytes that have just arrived.
struct MirrorPiece {
    let content: SimulatedContent
    /// Where they are in what they are of.
    let range: Range<Int64>
}
