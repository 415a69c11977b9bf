/// Why a call over a bus came to nothing.
struct BusError: Error {
    var reason: String
}
