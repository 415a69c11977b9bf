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
