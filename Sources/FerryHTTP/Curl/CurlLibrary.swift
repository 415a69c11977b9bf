import CCurl

/// The library as a whole.
enum CurlLibrary {
    /// The result of the one set-up that each process needs before anything else.
    static let setUp = curl_global_init(Int(CURL_GLOBAL_ALL))
}
