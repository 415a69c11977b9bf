@preconcurrency import Glibc

/// A character encoding that names of files come in, by the labels of the Encoding Standard that browsers follow.
struct LegacyEncoding: Hashable, Sendable {
    private enum Kind: Hashable, Sendable {
        case utf8
        case windows1252
        /// One that iconv(3) knows, by glibc's name.
        case library(String)
    }

    private let kind: Kind

    /// The encoding of a label in any case; nil if there is none, or if it is not one for names.
    init?(label: String?) {
        guard let label = label?.lowercased() else { return nil }
        switch label {
        case "utf-8", "utf8", "unicode-1-1-utf-8": kind = .utf8
        case "windows-1252", "cp1252", "x-cp1252", "iso-8859-1", "iso8859-1", "iso_8859-1",
            "latin1",
            "l1", "us-ascii", "ascii":
            kind = .windows1252
        default:
            guard let name = Self.names[label] else { return nil }
            kind = .library(name)
        }
    }

    /// The encoding of names that do not say theirs, as browsers assume it for a user's language.
    ///
    /// - Parameter locale: The user's locale, such as `ja_JP.UTF-8`.
    init(assumedFor locale: String) {
        let language = locale.prefix { $0 != "_" && $0 != "." && $0 != "@" }
        let region = locale.prefix { $0 != "." && $0 != "@" }
        let label = Self.labels[String(region)] ?? Self.labels[String(language)]
        self = label.flatMap { LegacyEncoding(label: $0) } ?? LegacyEncoding(kind: .windows1252)
    }

    private init(kind: Kind) { self.kind = kind }

    /// Returns a text that is not UTF-8, of which each character stands for a byte, in its likely encoding.
    ///
    /// - Parameters:
    ///   - text: A header field's value: text that was UTF-8, or else the bytes as ISO 8859-1.
    ///   - declared: The encoding of the response's text, if it says one.
    /// - Returns: The text.
    static func reread(_ text: String, as declared: LegacyEncoding?) -> String {
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            // Of UTF-8.
            guard scalar.value <= 0xFF else { return text }
            bytes.append(UInt8(scalar.value))
        }
        if let declared, declared.kind != .utf8, let name = declared.text(bytes) { return name }
        // Without these, which no name has, it may have been UTF-8, or is the same in ISO 8859-1.
        guard bytes.contains(where: { (0x80...0x9F).contains($0) }) else { return text }
        let variables = ["LC_ALL", "LC_CTYPE", "LANG"].map { (name: String) in
            getenv(name).map { String(cString: $0) } ?? ""
        }
        let locale = variables.first { !$0.isEmpty }
        return LegacyEncoding(assumedFor: locale ?? "").text(bytes)
            ?? LegacyEncoding(kind: .windows1252).text(bytes) ?? text
    }

    /// Returns the text that bytes are in this encoding; nil if they are none.
    func text(_ bytes: [UInt8]) -> String? {
        switch kind {
        case .utf8: return String(validating: bytes, as: UTF8.self)
        case .windows1252:
            var scalars = String.UnicodeScalarView()
            for byte in bytes {
                let value =
                    (0x80...0x9F).contains(byte) ? Self.windows1252[Int(byte) - 0x80] : UInt16(byte)
                if let scalar = Unicode.Scalar(value) { scalars.append(scalar) }
            }
            return String(scalars)
        case .library(let name): return Self.convert(bytes, from: name)
        }
    }

    private static func convert(_ bytes: [UInt8], from name: String) -> String? {
        guard let converter = iconv_open("UTF-8", name),
            converter != UnsafeMutableRawPointer(bitPattern: -1)
        else { return nil }
        defer { iconv_close(converter) }
        var input = bytes.map { CChar(bitPattern: $0) }
        // No character of these encodings is longer in UTF-8.
        var output = [CChar](repeating: 0, count: bytes.count * 4 + 4)
        return input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                var (source, rest) = (input.baseAddress, input.count)
                var (target, room) = (output.baseAddress, output.count)
                // (size_t)-1 is a failure.
                guard iconv(converter, &source, &rest, &target, &room) >= 0, rest == 0 else {
                    return nil
                }
                let text = output[..<(output.count - room)].map { UInt8(bitPattern: $0) }
                return String(validating: text, as: UTF8.self)
            }
        }
    }

    /// What the bytes from 0x80 to 0x9F are in windows-1252.
    private static let windows1252: [UInt16] = [
        0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
        0x2039, 0x0152, 0x8D, 0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013,
        0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
    ]

    /// The names of glibc by the labels of the Encoding Standard.
    ///
    /// Encodings with states or of two bytes at least are not
    /// among them: they would hide a slash.
    private static let names: [String: String] = {
        var names = [
            "shift_jis": "CP932", "shift-jis": "CP932", "sjis": "CP932", "x-sjis": "CP932",
            "ms_kanji": "CP932", "windows-31j": "CP932", "euc-jp": "EUC-JP", "x-euc-jp": "EUC-JP",
            "gb18030": "GB18030", "gbk": "GB18030", "gb2312": "GB18030", "gb_2312-80": "GB18030",
            "x-gbk": "GB18030", "chinese": "GB18030", "big5": "BIG5-HKSCS",
            "big5-hkscs": "BIG5-HKSCS", "euc-kr": "CP949", "ks_c_5601-1987": "CP949",
            "korean": "CP949", "windows-949": "CP949", "koi8-r": "KOI8-R", "koi8-u": "KOI8-U",
            "koi": "KOI8-R", "ibm866": "CP866", "cp866": "CP866", "windows-874": "CP874",
            "tis-620": "CP874", "iso-8859-9": "CP1254", "latin5": "CP1254",
            "macintosh": "MACINTOSH",
        ]
        for number in [1250, 1251, 1253, 1254, 1255, 1256, 1257, 1258] {
            names["windows-\(number)"] = "CP\(number)"
            names["cp\(number)"] = "CP\(number)"
        }
        for number in [2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16] {
            names["iso-8859-\(number)"] = "ISO-8859-\(number)"
            names["iso8859-\(number)"] = "ISO-8859-\(number)"
        }
        return names
    }()

    /// The labels that browsers assume for languages; HTML, "determining the character encoding".
    private static let labels: [String: String] = {
        var labels = [
            "cs": "windows-1250", "hu": "iso-8859-2", "pl": "iso-8859-2", "sk": "windows-1250",
            "sl": "iso-8859-2", "hr": "windows-1250", "el": "iso-8859-7", "he": "windows-1255",
            "ja": "shift_jis", "ko": "euc-kr", "th": "windows-874", "vi": "windows-1258",
            "zh": "gb18030", "zh_TW": "big5", "zh_HK": "big5",
        ]
        for language in ["be", "bg", "ky", "mk", "ru", "sr", "tg", "tt", "uk"] {
            labels[language] = "windows-1251"
        }
        for language in ["ar", "fa"] { labels[language] = "windows-1256" }
        for language in ["et", "lt", "lv"] { labels[language] = "windows-1257" }
        for language in ["ku", "tr"] { labels[language] = "windows-1254" }
        return labels
    }()
}
