/// A key of `ferry top`.
enum TopKey: Hashable, Sendable {
    case up, down, pageUp, pageDown, home, end
    case enter, escape, backspace
    case function(Int)
    case character(Character)
}
