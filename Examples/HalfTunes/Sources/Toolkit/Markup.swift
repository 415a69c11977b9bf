import CAdwaita

/// A text as markup that says just that, for widgets that take markup.
package func markup(_ text: String) -> String {
    guard let escaped = g_markup_escape_text(text, -1) else { return "" }
    defer { g_free(escaped) }
    return String(cString: escaped)
}
