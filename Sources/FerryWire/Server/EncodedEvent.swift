/// An event that was encoded when it was stored, with what is known only when it is sent.
package struct EncodedEvent: Sendable {
    /// The event, without the members below.
    package var event: Encoded<Wire.Event>
    /// The number for Acknowledge.
    package var sequence: Int64
    /// The absolute path of its file, if it has one.
    package var path: String?
    /// What the directory of the file is recognized by.
    package var directoryIdentity: String?

    package init(
        event: Encoded<Wire.Event>,
        sequence: Int64,
        path: String? = nil,
        directoryIdentity: String? = nil
    ) {
        self.event = event
        self.sequence = sequence
        self.path = path
        self.directoryIdentity = directoryIdentity
    }

    fileprivate func write(to output: inout JSONOutput) {
        output.name("event")
        output.object { output in
            output.member("sequence", sequence)
            output.member("path", path)
            output.member("directoryIdentity", directoryIdentity)
            output.members(of: event.text)
        }
    }
}

extension Reply where Method == Wire.Subscribe {
    /// Answers with one of several events.
    package func stream(_ event: EncodedEvent) {
        stream { output in output.object { event.write(to: &$0) } }
    }
}

extension Reply where Method == Wire.StreamEvents {
    /// Answers with one of several events of a session.
    package func stream(session: Int64, _ event: EncodedEvent) {
        stream { output in
            output.object { output in
                output.member("session", session)
                event.write(to: &output)
            }
        }
    }
}
