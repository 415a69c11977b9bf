import Glibc

/// A shared library that is looked for when it is needed, and stays loaded.
struct DynamicLibrary {
    private let handle: UnsafeMutableRawPointer

    /// Loads a library.
    ///
    /// - Parameter name: Its name for the dynamic linker, such as `libsystemd.so.0`.
    /// - Throws: `dlopen`, with `ENOENT` for every reason.
    init(name: String) throws(SystemCallError) {
        guard let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
            throw SystemCallError(call: "dlopen", errno: ENOENT, subject: name)
        }
        self.handle = handle
    }

    /// Returns a function of the library, as a C function of the caller's type.
    ///
    /// - Throws: `dlsym`, with `ENOSYS` if the library has no such function.
    func function<Function>(_ name: String) throws(SystemCallError) -> Function {
        guard let address = dlsym(handle, name) else {
            throw SystemCallError(call: "dlsym", errno: ENOSYS, subject: name)
        }
        // POSIX lets the object pointer that dlsym(3) returns stand for the function; the caller is
        // responsible for its type.
        return unsafeBitCast(address, to: Function.self)
    }
}
