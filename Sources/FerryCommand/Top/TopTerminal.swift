import CNcurses
import Foundation
@preconcurrency import Glibc

/// The full screen of a terminal, by ncurses, which knows what terminals understand and sends only what has changed.
///
/// ncurses has one screen for the process, and is used by one task.
final class TopTerminal {
    private let hasColors: Bool
    private var isOpen = true

    /// Takes the terminal over; nil if nothing is known of it.
    ///
    /// - Parameter usesColors: Whether colors are wanted.
    init?(usesColors: Bool) {
        setlocale(LC_ALL, "")
        guard CNcurses_begin() else { return nil }
        hasColors = usesColors && CNcurses_beginColors()
    }

    deinit { close() }

    /// Restores the terminal.
    func close() {
        guard isOpen else { return }
        isOpen = false
        CNcurses_end()
    }

    /// The terminal's size, as the kernel has it.
    func updatedSize() -> TerminalSize {
        if let size = TerminalSize(descriptor: STDOUT_FILENO) {
            CNcurses_resize(Int32(size.rows), Int32(size.columns))
        }
        return TerminalSize(columns: Int(CNcurses_columns()), rows: Int(CNcurses_lines()))
    }

    /// Returns the keys that were pressed.
    func keys() -> [TopKey] {
        var keys: [TopKey] = []
        var value: UInt32 = 0
        while true {
            switch CNcurses_key(&value) {
            case 0: if let key = Self.key(ofCharacter: value) { keys.append(key) }
            case 1: if let key = Self.key(ofCode: Int32(bitPattern: value)) { keys.append(key) }
            default: return keys
            }
        }
    }

    private static func key(ofCharacter value: UInt32) -> TopKey? {
        switch value {
        case 10, 13: .enter
        case 27: .escape
        case 8, 127: .backspace
        case ..<32: nil
        default: Unicode.Scalar(value).map { .character(Character($0)) }
        }
    }

    private static func key(ofCode code: Int32) -> TopKey? {
        switch Int(code) {
        case CNcurses_KEY_UP: .up
        case CNcurses_KEY_DOWN: .down
        case CNcurses_KEY_HOME: .home
        case CNcurses_KEY_END: .end
        case CNcurses_KEY_PPAGE: .pageUp
        case CNcurses_KEY_NPAGE: .pageDown
        case CNcurses_KEY_ENTER: .enter
        case CNcurses_KEY_BACKSPACE: .backspace
        case CNcurses_KEY_F0 + 1...CNcurses_KEY_F0 + 12:
            .function(Int(code) - CNcurses_KEY_F0)
        default: nil
        }
    }

    /// Shows a frame.
    func show(_ frame: TopFrame) {
        for (number, line) in frame.lines.enumerated() {
            CNcurses_move(Int32(number))
            for span in line {
                setStyle(span.style)
                CNcurses_add(span.text)
            }
            setStyle(.plain)
            CNcurses_clearRest()
        }
        CNcurses_clearBelow()
        CNcurses_show()
    }

    private func setStyle(_ style: TopFrame.Style) {
        let color: Int16 =
            switch style {
            case .running: 2
            case .waiting: 3
            case .failed: 1
            case .plain, .strong, .faint, .bar, .selected: 0
            }
        CNcurses_setStyle(
            hasColors ? color : 0,
            style == .strong,
            style == .faint,
            style == .bar || style == .selected
        )
    }
}
