/// Everything that libcurl tells about a transfer that has failed.
struct CurlFailure {
    /// The result (`CURLE_…`), as a number: versions to come have results without names here.
    var code: UInt32
    /// The value of `errno` behind it, or 0.
    var systemError: Int32
    /// OpenSSL's verdict on the server's certificate (`X509_V_…`), 0 for none or a good one.
    var certificateVerdict: Int
    /// Whether the final response's head had arrived.
    var hasHead: Bool
    /// The failure in words.
    var text: String
    /// Whether no route leads off this machine, as far as that was asked.
    var isOffline = false
}
