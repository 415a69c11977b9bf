/// Something that a screen reader reads.
struct Element: Hashable {
    var role: String
    var name: String
}
