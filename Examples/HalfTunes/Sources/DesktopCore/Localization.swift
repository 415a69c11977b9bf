import CGettext

/// What the apps' texts are called in their translations: the gettext domain.
package let translationDomain = "half-tunes"

/// A text in the user's language.
///
/// - Parameter text: The text in English, by which translations find it.
/// - Returns: Its translation, or the text itself where there is none.
package func localized(_ text: String) -> String {
    // Where there is no translation gettext returns the very pointer it was given.
    text.withCString { text in
        String(cString: dgettext(translationDomain, text) ?? UnsafeMutablePointer(mutating: text))
    }
}

/// A text in the user's language, with values in place of its `%1$@`, `%2$@` and so on.
package func localized(_ text: String, _ values: String...) -> String {
    var result = localized(text)
    for (index, value) in values.enumerated() {
        result = result.replacing("%\(index + 1)$@", with: value)
    }
    return result
}
