extension Wire {
    /// The interface's text, as `GetInterfaceDescription` answers it: that of `io.ferry.Transfer.varlink`.
    ///
    /// It is part of the program: one that has to find a file before it can describe itself can fail to.
    package static let description = String(
        decoding: PackageResources.io_ferry_Transfer_varlink,
        as: UTF8.self
    )
}
