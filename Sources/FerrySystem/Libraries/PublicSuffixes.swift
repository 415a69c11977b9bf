import Glibc

/// The list of domains below which anybody can register a name, such as `com` and `co.uk` (publicsuffix.org).
///
/// It is that of libpsl, which libcurl needs on most systems, and which is loaded when it is first needed.
package enum PublicSuffixes {
    private typealias MakeList = @convention(c) () -> OpaquePointer?
    private typealias IsSuffix = @convention(c) (OpaquePointer, UnsafePointer<CChar>) -> Int32

    /// The list that is built into the library, and the function that looks into it.
    ///
    /// `@unchecked` because libpsl never changes its list, and lets any thread read it.
    private struct List: @unchecked Sendable {
        let list: OpaquePointer
        let isSuffix: IsSuffix
    }

    private static let list: List? = {
        guard let library = try? DynamicLibrary(name: "libpsl.so.5"),
            let makeList: MakeList = try? library.function("psl_builtin"),
            let isSuffix: IsSuffix = try? library.function("psl_is_public_suffix"),
            let list = makeList()
        else { return nil }
        return List(list: list, isSuffix: isSuffix)
    }()

    /// Returns whether a domain is a public suffix.
    ///
    /// - Parameter domain: The domain in lower case, without a dot at either end.
    /// - Returns: Whether it is in the list, or without the library, whether it is a single label.
    package static func contains(_ domain: String) -> Bool {
        guard domain.contains(".") else { return true }
        guard let list else { return false }
        return list.isSuffix(list.list, domain) == 1
    }
}
