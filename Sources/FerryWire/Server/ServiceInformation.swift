/// The information about a service that `org.varlink.service.GetInfo` returns.
package struct ServiceInformation: Hashable, Sendable {
    /// The interface that every Varlink service has.
    static let interface = "org.varlink.service"

    /// The vendor of the service.
    package var vendor: String
    /// The name of the service.
    package var product: String
    /// Its version.
    package var version: String
    /// The address of more information about it.
    package var url: String
    /// The interfaces it has.
    package private(set) var interfaces: [String]

    /// Creates the information about a service that has the interface of this module.
    package init(vendor: String, product: String, version: String, url: String) {
        self.vendor = vendor
        self.product = product
        self.version = version
        self.url = url
        interfaces = [Self.interface, Wire.interface]
    }

    /// Writes the members.
    func write(to output: inout JSONOutput) {
        output.object { output in
            output.member("vendor", vendor)
            output.member("product", product)
            output.member("version", version)
            output.member("url", url)
            output.member("interfaces", interfaces)
        }
    }
}

extension ServiceInformation {
    /// The text of `org.varlink.service`, from the Varlink project's specification.
    ///
    /// Source: <https://varlink.org/Service>
    static let description = """
        # The Varlink Service Interface is provided by every varlink service. It
        # describes the service and the interfaces it implements.
        interface org.varlink.service

        # Get a list of all the interfaces a service provides and information
        # about the implementation.
        method GetInfo() -> (
          vendor: string,
          product: string,
          version: string,
          url: string,
          interfaces: []string
        )

        # Get the description of an interface that is implemented by this service.
        method GetInterfaceDescription(interface: string) -> (description: string)

        # The requested interface was not found.
        error InterfaceNotFound (interface: string)

        # The requested method was not found
        error MethodNotFound (method: string)

        # The interface defines the requested method, but the service does not
        # implement it.
        error MethodNotImplemented (method: string)

        # One of the passed parameters is invalid.
        error InvalidParameter (parameter: string)

        # Client is denied access
        error PermissionDenied ()

        # Method is expected to be called with 'more' set to true, but wasn't
        error ExpectedMore ()

        """
}
