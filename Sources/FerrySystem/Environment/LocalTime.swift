import Glibc

/// The local time of this machine, by the C library's rules for its time zone.
package enum LocalTime {
    /// The link to the rules of the machine's zone (localtime(5)).
    package static let zone = DirectoryEntry("localtime", in: "/etc")

    /// Whether a change of ``zone`` changes the time of this process: `TZ` would take precedence (tzset(3)).
    package static var followsZone: Bool { ProcessEnvironment["TZ"] == nil }

    /// Returns the number of seconds by which local time is ahead of UTC at a moment; 0 for one that no calendar reaches.
    package static func offset(at secondsSince1970: Int) -> Int {
        var time = time_t(secondsSince1970)
        var parts = tm()
        return localtime_r(&time, &parts) == nil ? 0 : parts.tm_gmtoff
    }

    /// Reads the zone's rules again, which have changed; localtime_r(3) reads them once.
    package static func readZone() { tzset() }
}
