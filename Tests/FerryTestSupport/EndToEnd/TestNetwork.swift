import Glibc

/// Networks of tests' own.
package enum TestNetwork {
    /// Whether this machine lets the tests make one, and has what sets it up.
    package static let canBeMade =
        system("unshare --net --map-root-user ip link add a0 type veth peer name a1 2> /dev/null")
        == 0
}
