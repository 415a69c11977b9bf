import CGStreamer
import CHalfTunes
import DesktopCore
package import Foundation
import HalfTunesCore

/// Plays files with GStreamer.
@MainActor
package final class GStreamerPlayer: AudioPlayer {
    /// The environment variable that tells where sound goes, such as `fakesink sync=true`.
    package static let sinkVariable = "HALF_TUNES_AUDIO_SINK"

    package var ended: @MainActor () -> Void = {}
    package var failed: @MainActor (String) -> Void = { _ in }

    /// nil where GStreamer lacks the element, which its base plugins have.
    private let playbin: UnsafeMutablePointer<GstElement>?

    /// A player.
    ///
    /// - Parameter environment: The process's environment variables.
    package init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        gst_init(nil, nil)
        playbin = gst_element_factory_make("playbin", nil)
        guard let playbin else { return }
        if let sink = environment[Self.sinkVariable] {
            let bin = gst_parse_bin_from_description(sink, 1, nil)
            CHalfTunes_set_object(playbin, "audio-sink", bin)
        }
        watch(playbin)
    }

    package var position: Duration? {
        var position: gint64 = 0
        guard let playbin, gst_element_query_position(playbin, GST_FORMAT_TIME, &position) != 0
        else {
            return nil
        }
        return .nanoseconds(Int64(position))
    }

    package var duration: Duration? {
        var duration: gint64 = 0
        guard let playbin, gst_element_query_duration(playbin, GST_FORMAT_TIME, &duration) != 0
        else {
            return nil
        }
        return .nanoseconds(Int64(duration))
    }

    package func play(_ file: URL) {
        guard let playbin else { return failed(localized("GStreamer's base plugins are missing.")) }
        gst_element_set_state(playbin, GST_STATE_NULL)
        CHalfTunes_set_string(playbin, "uri", file.absoluteString)
        gst_element_set_state(playbin, GST_STATE_PLAYING)
    }

    package func pause() {
        guard let playbin else { return }
        gst_element_set_state(playbin, GST_STATE_PAUSED)
    }

    package func proceed() {
        guard let playbin else { return }
        gst_element_set_state(playbin, GST_STATE_PLAYING)
    }

    package func seek(to position: Duration) {
        guard let playbin else { return }
        let flags = GstSeekFlags(GST_SEEK_FLAG_FLUSH.rawValue | GST_SEEK_FLAG_KEY_UNIT.rawValue)
        gst_element_seek_simple(playbin, GST_FORMAT_TIME, flags, gint64(position.nanoseconds))
    }

    /// The player lives as long as the program, so that the watch needs no end.
    private func watch(_ playbin: UnsafeMutablePointer<GstElement>) {
        guard let bus = gst_element_get_bus(playbin) else { return }
        gst_bus_add_watch(
            bus,
            { @Sendable _, message, data in
                guard let message, let data else { return 1 }
                let player = Unmanaged<GStreamerPlayer>.fromOpaque(data)
                nonisolated(unsafe) let told = message
                // A watch is called by the main loop.
                MainActor.assumeIsolated { player.takeUnretainedValue().handle(told) }
                return 1
            },
            Unmanaged.passRetained(self).toOpaque()
        )
        gst_object_unref(bus)
    }

    private func handle(_ message: UnsafeMutablePointer<GstMessage>) {
        switch CHalfTunes_message_type(message) {
        case GST_MESSAGE_EOS:
            ended()
        case GST_MESSAGE_ERROR:
            let reason = Self.reason(of: message)
            if let playbin { gst_element_set_state(playbin, GST_STATE_NULL) }
            failed(reason)
        default:
            break
        }
    }

    private static func reason(of message: UnsafeMutablePointer<GstMessage>) -> String {
        var error: UnsafeMutablePointer<GError>?
        gst_message_parse_error(message, &error, nil)
        guard let error else { return "" }
        defer { g_error_free(error) }
        return String(cString: error.pointee.message)
    }
}

extension Duration {
    fileprivate var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}
