// Written by scripts/interface from io.ferry.Transfer.varlink: change that, and run `make interface`.

package import FoundationEssentials

extension Wire {
    /// Opens a session for its application, which receives its events until the connection closes.
    ///
    /// A connection may open any number of sessions. One process at a time may have a session open. The
    /// session's number is valid on every connection of that process until the connection that opened it
    /// closes or releases it, or CloseSession is called. For a process that the daemon cannot see (of
    /// another PID namespace, before Linux 6.9) it is valid on that connection alone, and for Subscribe
    /// with the token.
    package struct OpenSession: TransferMethod {
        /// The reply to ``OpenSession``.
        package struct Reply: JSONCodable {
            /// The open session's number.
            package var session: Int64
            /// A number that no task of the session has had yet.
            package var nextTaskIdentifier: Int
            /// The token that Subscribe needs on another connection; missing if the daemon sees the process.
            package var token: String?

            /// Creates the value from its members.
            package init(session: Int64, nextTaskIdentifier: Int, token: String? = nil) {
                self.session = session
                self.nextTaskIdentifier = nextTaskIdentifier
                self.token = token
            }

            /// Writes the members.
            package func write(to output: inout JSONOutput) {
                output.object { output in
                    output.member("nextTaskIdentifier", nextTaskIdentifier)
                    output.member("session", session)
                    output.member("token", token)
                }
            }

            /// Reads the members.
            package init(from input: inout JSONInput) throws(JSONInput.Problem) {
                var session: Int64?
                var nextTaskIdentifier: Int?
                var token: String?
                try input.object { (input, member) throws(JSONInput.Problem) in
                    switch member {
                    case "session": session = try input.value()
                    case "nextTaskIdentifier": nextTaskIdentifier = try input.value()
                    case "token": token = try input.value()
                    default: try input.skip()
                    }
                }
                self.init(
                    session: try input.required(session, "session"),
                    nextTaskIdentifier: try input.required(
                        nextTaskIdentifier,
                        "nextTaskIdentifier"
                    ),
                    token: token
                )
            }
        }

        /// The method's name in the interface.
        package static let name = "OpenSession"

        /// The application.
        package var application: Application
        /// The name that distinguishes the session from the application's others.
        package var identifier: String
        /// The settings for the session's tasks.
        package var configuration: SessionConfiguration

        /// Creates the value from its members.
        package init(
            application: Application,
            identifier: String,
            configuration: SessionConfiguration
        ) {
            self.application = application
            self.identifier = identifier
            self.configuration = configuration
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("application", application)
                output.member("configuration", configuration)
                output.member("identifier", identifier)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var application: Application?
            var identifier: String?
            var configuration: SessionConfiguration?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "application": application = try input.value()
                case "identifier": identifier = try input.value()
                case "configuration": configuration = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                application: try input.required(application, "application"),
                identifier: try input.required(identifier, "identifier"),
                configuration: try input.required(configuration, "configuration")
            )
        }
    }

    /// Creates a download.
    ///
    /// Once the call is answered, the task is durable. Repeating the call with the same contents changes
    /// nothing, even when the task is gone.
    package struct CreateDownload: TransferMethod {
        /// The reply to ``CreateDownload``.
        package struct Reply: JSONCodable {
            /// The task's number, unique for this user's daemon; 0 for one that is gone.
            package var id: Int64

            /// Creates the value from its members.
            package init(id: Int64) {
                self.id = id
            }

            /// Writes the members.
            package func write(to output: inout JSONOutput) {
                output.object { output in
                    output.member("id", id)
                }
            }

            /// Reads the members.
            package init(from input: inout JSONInput) throws(JSONInput.Problem) {
                var id: Int64?
                try input.object { (input, member) throws(JSONInput.Problem) in
                    switch member {
                    case "id": id = try input.value()
                    default: try input.skip()
                    }
                }
                self.init(id: try input.required(id, "id"))
            }
        }

        /// The method's name in the interface.
        package static let name = "CreateDownload"

        /// The open session's number.
        package var session: Int64
        /// The new task's number in its session, chosen by the caller; 1 or more.
        package var identifier: Int
        /// The request for the resource.
        package var request: Request
        /// The resume data to continue from.
        package var resumeData: Data?
        /// The application's description of the task.
        package var description: String?
        /// The priority of the task, from 0 to 1.
        package var priority: Double
        /// Whether it may run at once; otherwise it is suspended.
        package var resumed: Bool?
        /// The date before which it does not begin, as for SetEarliestBegin.
        package var earliestBegin: EarliestBegin?
        /// Its options, as for SetOptions.
        package var options: TransferOptions?

        /// Creates the value from its members.
        package init(
            session: Int64,
            identifier: Int,
            request: Request,
            resumeData: Data? = nil,
            description: String? = nil,
            priority: Double,
            resumed: Bool? = nil,
            earliestBegin: EarliestBegin? = nil,
            options: TransferOptions? = nil
        ) {
            self.session = session
            self.identifier = identifier
            self.request = request
            self.resumeData = resumeData
            self.description = description
            self.priority = priority
            self.resumed = resumed
            self.earliestBegin = earliestBegin
            self.options = options
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("description", description)
                output.member("earliestBegin", earliestBegin)
                output.member("identifier", identifier)
                output.member("options", options)
                output.member("priority", priority)
                output.member("request", request)
                output.member("resumeData", resumeData)
                output.member("resumed", resumed)
                output.member("session", session)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var session: Int64?
            var identifier: Int?
            var request: Request?
            var resumeData: Data?
            var description: String?
            var priority: Double?
            var resumed: Bool?
            var earliestBegin: EarliestBegin?
            var options: TransferOptions?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "session": session = try input.value()
                case "identifier": identifier = try input.value()
                case "request": request = try input.value()
                case "resumeData": resumeData = try input.value()
                case "description": description = try input.value()
                case "priority": priority = try input.value()
                case "resumed": resumed = try input.value()
                case "earliestBegin": earliestBegin = try input.value()
                case "options": options = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                session: try input.required(session, "session"),
                identifier: try input.required(identifier, "identifier"),
                request: try input.required(request, "request"),
                resumeData: resumeData,
                description: description,
                priority: try input.required(priority, "priority"),
                resumed: resumed,
                earliestBegin: earliestBegin,
                options: options
            )
        }
    }

    /// Creates an upload.
    ///
    /// Once the call is answered, the task is durable. The file is passed as a descriptor (SCM_RIGHTS) that
    /// is open for reading; it must be sent with bytes of this call alone. Repeating the call with the same
    /// contents changes nothing, even when the task is gone.
    package struct CreateUpload: TransferMethod {
        /// The reply to ``CreateUpload``.
        package struct Reply: JSONCodable {
            /// The task's number, unique for this user's daemon; 0 for one that is gone.
            package var id: Int64

            /// Creates the value from its members.
            package init(id: Int64) {
                self.id = id
            }

            /// Writes the members.
            package func write(to output: inout JSONOutput) {
                output.object { output in
                    output.member("id", id)
                }
            }

            /// Reads the members.
            package init(from input: inout JSONInput) throws(JSONInput.Problem) {
                var id: Int64?
                try input.object { (input, member) throws(JSONInput.Problem) in
                    switch member {
                    case "id": id = try input.value()
                    default: try input.skip()
                    }
                }
                self.init(id: try input.required(id, "id"))
            }
        }

        /// The method's name in the interface.
        package static let name = "CreateUpload"

        /// The open session's number.
        package var session: Int64
        /// The new task's number in its session, chosen by the caller; 1 or more.
        package var identifier: Int
        /// The request that sends the file; a body in it is not sent.
        package var request: Request
        /// The file's absolute path, with which the daemon finds it again if necessary.
        package var path: String
        /// The resume data to continue from: that of an upload of the same file.
        package var resumeData: Data?
        /// The application's description of the task.
        package var description: String?
        /// The priority of the task, from 0 to 1.
        package var priority: Double
        /// Whether it may run at once; otherwise it is suspended.
        package var resumed: Bool?
        /// The date before which it does not begin, as for SetEarliestBegin.
        package var earliestBegin: EarliestBegin?
        /// Its options, as for SetOptions.
        package var options: TransferOptions?

        /// Creates the value from its members.
        package init(
            session: Int64,
            identifier: Int,
            request: Request,
            path: String,
            resumeData: Data? = nil,
            description: String? = nil,
            priority: Double,
            resumed: Bool? = nil,
            earliestBegin: EarliestBegin? = nil,
            options: TransferOptions? = nil
        ) {
            self.session = session
            self.identifier = identifier
            self.request = request
            self.path = path
            self.resumeData = resumeData
            self.description = description
            self.priority = priority
            self.resumed = resumed
            self.earliestBegin = earliestBegin
            self.options = options
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("description", description)
                output.member("earliestBegin", earliestBegin)
                output.member("identifier", identifier)
                output.member("options", options)
                output.member("path", path)
                output.member("priority", priority)
                output.member("request", request)
                output.member("resumeData", resumeData)
                output.member("resumed", resumed)
                output.member("session", session)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var session: Int64?
            var identifier: Int?
            var request: Request?
            var path: String?
            var resumeData: Data?
            var description: String?
            var priority: Double?
            var resumed: Bool?
            var earliestBegin: EarliestBegin?
            var options: TransferOptions?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "session": session = try input.value()
                case "identifier": identifier = try input.value()
                case "request": request = try input.value()
                case "path": path = try input.value()
                case "resumeData": resumeData = try input.value()
                case "description": description = try input.value()
                case "priority": priority = try input.value()
                case "resumed": resumed = try input.value()
                case "earliestBegin": earliestBegin = try input.value()
                case "options": options = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                session: try input.required(session, "session"),
                identifier: try input.required(identifier, "identifier"),
                request: try input.required(request, "request"),
                path: try input.required(path, "path"),
                resumeData: resumeData,
                description: description,
                priority: try input.required(priority, "priority"),
                resumed: resumed,
                earliestBegin: earliestBegin,
                options: options
            )
        }
    }

    /// Resumes a suspended task.
    package struct Resume: TransferMethod {
        /// The empty reply to ``Resume``.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "Resume"

        /// The open session's number.
        package var session: Int64
        /// The task's number in its session.
        package var identifier: Int

        /// Creates the value from its members.
        package init(session: Int64, identifier: Int) {
            self.session = session
            self.identifier = identifier
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("identifier", identifier)
                output.member("session", session)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var session: Int64?
            var identifier: Int?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "session": session = try input.value()
                case "identifier": identifier = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                session: try input.required(session, "session"),
                identifier: try input.required(identifier, "identifier")
            )
        }
    }

    /// Stops a task until it is resumed; the bytes it has are kept.
    package struct Suspend: TransferMethod {
        /// The empty reply to ``Suspend``.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "Suspend"

        /// The open session's number.
        package var session: Int64
        /// The task's number in its session.
        package var identifier: Int

        /// Creates the value from its members.
        package init(session: Int64, identifier: Int) {
            self.session = session
            self.identifier = identifier
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("identifier", identifier)
                output.member("session", session)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var session: Int64?
            var identifier: Int?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "session": session = try input.value()
                case "identifier": identifier = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                session: try input.required(session, "session"),
                identifier: try input.required(identifier, "identifier")
            )
        }
    }

    /// Ends a task; its completed event follows.
    package struct Cancel: TransferMethod {
        /// The empty reply to ``Cancel``.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "Cancel"

        /// The open session's number.
        package var session: Int64
        /// The task's number in its session.
        package var identifier: Int

        /// Creates the value from its members.
        package init(session: Int64, identifier: Int) {
            self.session = session
            self.identifier = identifier
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("identifier", identifier)
                output.member("session", session)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var session: Int64?
            var identifier: Int?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "session": session = try input.value()
                case "identifier": identifier = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                session: try input.required(session, "session"),
                identifier: try input.required(identifier, "identifier")
            )
        }
    }

    /// Ends a task so that it can be continued.
    package struct CancelProducingResumeData: TransferMethod {
        /// The reply to ``CancelProducingResumeData``.
        package struct Reply: JSONCodable {
            /// The resume data; missing if the task cannot be continued.
            package var resumeData: Data?

            /// Creates the value from its members.
            package init(resumeData: Data? = nil) {
                self.resumeData = resumeData
            }

            /// Writes the members.
            package func write(to output: inout JSONOutput) {
                output.object { output in
                    output.member("resumeData", resumeData)
                }
            }

            /// Reads the members.
            package init(from input: inout JSONInput) throws(JSONInput.Problem) {
                var resumeData: Data?
                try input.object { (input, member) throws(JSONInput.Problem) in
                    switch member {
                    case "resumeData": resumeData = try input.value()
                    default: try input.skip()
                    }
                }
                self.init(resumeData: resumeData)
            }
        }

        /// The method's name in the interface.
        package static let name = "CancelProducingResumeData"

        /// The open session's number.
        package var session: Int64
        /// The task's number in its session.
        package var identifier: Int

        /// Creates the value from its members.
        package init(session: Int64, identifier: Int) {
            self.session = session
            self.identifier = identifier
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("identifier", identifier)
                output.member("session", session)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var session: Int64?
            var identifier: Int?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "session": session = try input.value()
                case "identifier": identifier = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                session: try input.required(session, "session"),
                identifier: try input.required(identifier, "identifier")
            )
        }
    }

    /// Changes the application's description of a task.
    package struct SetDescription: TransferMethod {
        /// The empty reply to ``SetDescription``.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "SetDescription"

        /// The open session's number.
        package var session: Int64
        /// The task's number in its session.
        package var identifier: Int
        /// The new description; null removes it.
        package var description: String?

        /// Creates the value from its members.
        package init(session: Int64, identifier: Int, description: String? = nil) {
            self.session = session
            self.identifier = identifier
            self.description = description
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("description", description)
                output.member("identifier", identifier)
                output.member("session", session)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var session: Int64?
            var identifier: Int?
            var description: String?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "session": session = try input.value()
                case "identifier": identifier = try input.value()
                case "description": description = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                session: try input.required(session, "session"),
                identifier: try input.required(identifier, "identifier"),
                description: description
            )
        }
    }

    /// Changes the priority of a task.
    package struct SetPriority: TransferMethod {
        /// The empty reply to ``SetPriority``.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "SetPriority"

        /// The open session's number.
        package var session: Int64
        /// The task's number in its session.
        package var identifier: Int
        /// The new priority, from 0 to 1.
        package var priority: Double

        /// Creates the value from its members.
        package init(session: Int64, identifier: Int, priority: Double) {
            self.session = session
            self.identifier = identifier
            self.priority = priority
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("identifier", identifier)
                output.member("priority", priority)
                output.member("session", session)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var session: Int64?
            var identifier: Int?
            var priority: Double?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "session": session = try input.value()
                case "identifier": identifier = try input.value()
                case "priority": priority = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                session: try input.required(session, "session"),
                identifier: try input.required(identifier, "identifier"),
                priority: try input.required(priority, "priority")
            )
        }
    }

    /// Changes the date before which a task does not begin.
    ///
    /// It has no effect on a task that has begun.
    package struct SetEarliestBegin: TransferMethod {
        /// The empty reply to ``SetEarliestBegin``.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "SetEarliestBegin"

        /// The open session's number.
        package var session: Int64
        /// The task's number in its session.
        package var identifier: Int
        /// The date; null lets it begin at once.
        package var earliestBegin: EarliestBegin?

        /// Creates the value from its members.
        package init(session: Int64, identifier: Int, earliestBegin: EarliestBegin? = nil) {
            self.session = session
            self.identifier = identifier
            self.earliestBegin = earliestBegin
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("earliestBegin", earliestBegin)
                output.member("identifier", identifier)
                output.member("session", session)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var session: Int64?
            var identifier: Int?
            var earliestBegin: EarliestBegin?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "session": session = try input.value()
                case "identifier": identifier = try input.value()
                case "earliestBegin": earliestBegin = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                session: try input.required(session, "session"),
                identifier: try input.required(identifier, "identifier"),
                earliestBegin: earliestBegin
            )
        }
    }

    /// Changes the options of a task.
    ///
    /// Rates apply at once, the rest from the next attempt on.
    package struct SetOptions: TransferMethod {
        /// The empty reply to ``SetOptions``.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "SetOptions"

        /// The open session's number.
        package var session: Int64
        /// The task's number in its session.
        package var identifier: Int
        /// All of its options; null leaves them to the daemon.
        package var options: TransferOptions?

        /// Creates the value from its members.
        package init(session: Int64, identifier: Int, options: TransferOptions? = nil) {
            self.session = session
            self.identifier = identifier
            self.options = options
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("identifier", identifier)
                output.member("options", options)
                output.member("session", session)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var session: Int64?
            var identifier: Int?
            var options: TransferOptions?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "session": session = try input.value()
                case "identifier": identifier = try input.value()
                case "options": options = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                session: try input.required(session, "session"),
                identifier: try input.required(identifier, "identifier"),
                options: options
            )
        }
    }

    /// Changes the rate limits of a session's tasks together.
    package struct SetSessionRates: TransferMethod {
        /// The empty reply to ``SetSessionRates``.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "SetSessionRates"

        /// The open session's number.
        package var session: Int64
        /// The maximum number of bytes received per second; null for no limit.
        package var receiveRate: Int64?
        /// The maximum number of bytes sent per second; null for no limit.
        package var sendRate: Int64?

        /// Creates the value from its members.
        package init(session: Int64, receiveRate: Int64? = nil, sendRate: Int64? = nil) {
            self.session = session
            self.receiveRate = receiveRate
            self.sendRate = sendRate
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("receiveRate", receiveRate)
                output.member("sendRate", sendRate)
                output.member("session", session)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var session: Int64?
            var receiveRate: Int64?
            var sendRate: Int64?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "session": session = try input.value()
                case "receiveRate": receiveRate = try input.value()
                case "sendRate": sendRate = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                session: try input.required(session, "session"),
                receiveRate: receiveRate,
                sendRate: sendRate
            )
        }
    }

    /// Lets a task begin after its application was asked about it.
    ///
    /// An answer to a question that is no longer open changes nothing.
    package struct Begin: TransferMethod {
        /// The empty reply to ``Begin``.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "Begin"

        /// The open session's number.
        package var session: Int64
        /// The task's number in its session.
        package var identifier: Int
        /// The question's number.
        package var question: Int
        /// The request to send instead of the task's.
        package var request: Request?

        /// Creates the value from its members.
        package init(session: Int64, identifier: Int, question: Int, request: Request? = nil) {
            self.session = session
            self.identifier = identifier
            self.question = question
            self.request = request
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("identifier", identifier)
                output.member("question", question)
                output.member("request", request)
                output.member("session", session)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var session: Int64?
            var identifier: Int?
            var question: Int?
            var request: Request?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "session": session = try input.value()
                case "identifier": identifier = try input.value()
                case "question": question = try input.value()
                case "request": request = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                session: try input.required(session, "session"),
                identifier: try input.required(identifier, "identifier"),
                question: try input.required(question, "question"),
                request: request
            )
        }
    }

    /// Gives a task another address for the same resource; the bytes that it has loaded are kept if the
    /// resource proves to be the same.
    ///
    /// It is also the answer to the question of an expired event. An answer to a question that is no longer
    /// open changes nothing.
    package struct Relink: TransferMethod {
        /// The empty reply to ``Relink``.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "Relink"

        /// The open session's number.
        package var session: Int64
        /// The task's number in its session.
        package var identifier: Int
        /// The question's number, if it is an answer to one.
        package var question: Int?
        /// The request to send from now on; null, as an answer, leaves the task with its server's response.
        package var request: Request?

        /// Creates the value from its members.
        package init(session: Int64, identifier: Int, question: Int? = nil, request: Request? = nil)
        {
            self.session = session
            self.identifier = identifier
            self.question = question
            self.request = request
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("identifier", identifier)
                output.member("question", question)
                output.member("request", request)
                output.member("session", session)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var session: Int64?
            var identifier: Int?
            var question: Int?
            var request: Request?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "session": session = try input.value()
                case "identifier": identifier = try input.value()
                case "question": question = try input.value()
                case "request": request = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                session: try input.required(session, "session"),
                identifier: try input.required(identifier, "identifier"),
                question: question,
                request: request
            )
        }
    }

    /// Answers a challenge.
    ///
    /// An answer to a question that is no longer open changes nothing.
    package struct AnswerChallenge: TransferMethod {
        /// The empty reply to ``AnswerChallenge``.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "AnswerChallenge"

        /// The open session's number.
        package var session: Int64
        /// The task's number in its session.
        package var identifier: Int
        /// The question's number.
        package var question: Int
        /// How to handle the challenge.
        package var disposition: ChallengeDisposition
        /// The user's name: with use, to a password challenge.
        package var user: String?
        /// The password: with use, to a password challenge.
        package var password: String?
        /// The client's identity: with use, to a certificate challenge.
        package var identity: Identity?
        /// Whether the answer also holds for other tasks of the session, until the daemon ends.
        package var isKept: Bool?
        /// Whether the application answers no challenges of this kind: it is no longer asked about them.
        package var answersNoOthers: Bool?

        /// Creates the value from its members.
        package init(
            session: Int64,
            identifier: Int,
            question: Int,
            disposition: ChallengeDisposition,
            user: String? = nil,
            password: String? = nil,
            identity: Identity? = nil,
            isKept: Bool? = nil,
            answersNoOthers: Bool? = nil
        ) {
            self.session = session
            self.identifier = identifier
            self.question = question
            self.disposition = disposition
            self.user = user
            self.password = password
            self.identity = identity
            self.isKept = isKept
            self.answersNoOthers = answersNoOthers
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("answersNoOthers", answersNoOthers)
                output.member("disposition", disposition)
                output.member("identifier", identifier)
                output.member("identity", identity)
                output.member("isKept", isKept)
                output.member("password", password)
                output.member("question", question)
                output.member("session", session)
                output.member("user", user)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var session: Int64?
            var identifier: Int?
            var question: Int?
            var disposition: ChallengeDisposition?
            var user: String?
            var password: String?
            var identity: Identity?
            var isKept: Bool?
            var answersNoOthers: Bool?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "session": session = try input.value()
                case "identifier": identifier = try input.value()
                case "question": question = try input.value()
                case "disposition": disposition = try input.value()
                case "user": user = try input.value()
                case "password": password = try input.value()
                case "identity": identity = try input.value()
                case "isKept": isKept = try input.value()
                case "answersNoOthers": answersNoOthers = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                session: try input.required(session, "session"),
                identifier: try input.required(identifier, "identifier"),
                question: try input.required(question, "question"),
                disposition: try input.required(disposition, "disposition"),
                user: user,
                password: password,
                identity: identity,
                isKept: isKept,
                answersNoOthers: answersNoOthers
            )
        }
    }

    /// Acknowledges that events have been handled; they are not sent again and their files are deleted.
    package struct Acknowledge: TransferMethod {
        /// The empty reply to ``Acknowledge``.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "Acknowledge"

        /// The open session's number.
        package var session: Int64
        /// The event's sequence.
        package var sequence: Int64
        /// The sequences of more events.
        package var otherSequences: [Int64]?
        /// Where the application has put the files of these events, as far as it says so.
        package var savedFiles: [SavedFile]?

        /// Creates the value from its members.
        package init(
            session: Int64,
            sequence: Int64,
            otherSequences: [Int64]? = nil,
            savedFiles: [SavedFile]? = nil
        ) {
            self.session = session
            self.sequence = sequence
            self.otherSequences = otherSequences
            self.savedFiles = savedFiles
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("otherSequences", otherSequences)
                output.member("savedFiles", savedFiles)
                output.member("sequence", sequence)
                output.member("session", session)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var session: Int64?
            var sequence: Int64?
            var otherSequences: [Int64]?
            var savedFiles: [SavedFile]?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "session": session = try input.value()
                case "sequence": sequence = try input.value()
                case "otherSequences": otherSequences = try input.value()
                case "savedFiles": savedFiles = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                session: try input.required(session, "session"),
                sequence: try input.required(sequence, "sequence"),
                otherSequences: otherSequences,
                savedFiles: savedFiles
            )
        }
    }

    /// Ends a session permanently, once its tasks are done.
    package struct CloseSession: TransferMethod {
        /// The empty reply to ``CloseSession``.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "CloseSession"

        /// The open session's number.
        package var session: Int64
        /// Whether to cancel its tasks first.
        package var cancel: Bool

        /// Creates the value from its members.
        package init(session: Int64, cancel: Bool) {
            self.session = session
            self.cancel = cancel
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("cancel", cancel)
                output.member("session", session)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var session: Int64?
            var cancel: Bool?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "session": session = try input.value()
                case "cancel": cancel = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                session: try input.required(session, "session"),
                cancel: try input.required(cancel, "cancel")
            )
        }
    }

    /// Sends a session's events: first those not acknowledged yet, then drained, then each as it happens.
    ///
    /// Must be called with more. The connection is busy with it until it closes, so use a separate one.
    package struct Subscribe: TransferMethod {
        /// The reply to ``Subscribe``.
        package struct Reply: JSONCodable {
            /// The event.
            package var event: Event

            /// Creates the value from its members.
            package init(event: Event) {
                self.event = event
            }

            /// Writes the members.
            package func write(to output: inout JSONOutput) {
                output.object { output in
                    output.member("event", event)
                }
            }

            /// Reads the members.
            package init(from input: inout JSONInput) throws(JSONInput.Problem) {
                var event: Event?
                try input.object { (input, member) throws(JSONInput.Problem) in
                    switch member {
                    case "event": event = try input.value()
                    default: try input.skip()
                    }
                }
                self.init(event: try input.required(event, "event"))
            }
        }

        /// The method's name in the interface.
        package static let name = "Subscribe"
        /// The method can only be called for a stream.
        package static let requiresMore = true

        /// The open session's number.
        package var session: Int64
        /// The token that OpenSession has returned, if any.
        package var token: String?

        /// Creates the value from its members.
        package init(session: Int64, token: String? = nil) {
            self.session = session
            self.token = token
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("session", session)
                output.member("token", token)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var session: Int64?
            var token: String?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "session": session = try input.value()
                case "token": token = try input.value()
                default: try input.skip()
                }
            }
            self.init(session: try input.required(session, "session"), token: token)
        }
    }

    /// Opens a stream for the events of many sessions: ReceiveEvents says whose.
    ///
    /// Must be called with more. The connection is busy with it until it closes, so use a separate one.
    package struct StreamEvents: TransferMethod {
        /// The reply to ``StreamEvents``.
        package struct Reply: JSONCodable {
            /// The name of the stream, for ReceiveEvents: in the first reply alone.
            package var stream: String?
            /// The open session's number: in all other replies.
            package var session: Int64?
            /// The event; if missing, no more of the session's events follow until ReceiveEvents is called again.
            package var event: Event?

            /// Creates the value from its members.
            package init(stream: String? = nil, session: Int64? = nil, event: Event? = nil) {
                self.stream = stream
                self.session = session
                self.event = event
            }

            /// Writes the members.
            package func write(to output: inout JSONOutput) {
                output.object { output in
                    output.member("event", event)
                    output.member("session", session)
                    output.member("stream", stream)
                }
            }

            /// Reads the members.
            package init(from input: inout JSONInput) throws(JSONInput.Problem) {
                var stream: String?
                var session: Int64?
                var event: Event?
                try input.object { (input, member) throws(JSONInput.Problem) in
                    switch member {
                    case "stream": stream = try input.value()
                    case "session": session = try input.value()
                    case "event": event = try input.value()
                    default: try input.skip()
                    }
                }
                self.init(stream: stream, session: session, event: event)
            }
        }

        /// The method's name in the interface.
        package static let name = "StreamEvents"
        /// The method can only be called for a stream.
        package static let requiresMore = true

        /// Creates the value.
        package init() {}

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { _ in }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            try input.object { (input, _) throws(JSONInput.Problem) in try input.skip() }
            self.init()
        }
    }

    /// Sends a session's events over a stream, in the same order as Subscribe does.
    ///
    /// Only the connection that has opened the session may call it.
    package struct ReceiveEvents: TransferMethod {
        /// The empty reply to ``ReceiveEvents``.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "ReceiveEvents"

        /// The open session's number.
        package var session: Int64
        /// The name of the stream.
        package var stream: String

        /// Creates the value from its members.
        package init(session: Int64, stream: String) {
            self.session = session
            self.stream = stream
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("session", session)
                output.member("stream", stream)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var session: Int64?
            var stream: String?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "session": session = try input.value()
                case "stream": stream = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                session: try input.required(session, "session"),
                stream: try input.required(stream, "stream")
            )
        }
    }

    /// Holds back a session's events that go over a stream, or sends them again.
    ///
    /// Those under way still arrive.
    package struct HoldEvents: TransferMethod {
        /// The empty reply to ``HoldEvents``.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "HoldEvents"

        /// The open session's number.
        package var session: Int64
        /// Whether they are held back.
        package var hold: Bool

        /// Creates the value from its members.
        package init(session: Int64, hold: Bool) {
            self.session = session
            self.hold = hold
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("hold", hold)
                output.member("session", session)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var session: Int64?
            var hold: Bool?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "session": session = try input.value()
                case "hold": hold = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                session: try input.required(session, "session"),
                hold: try input.required(hold, "hold")
            )
        }
    }

    /// Releases a session that the connection has opened, as the end of the connection does: another
    /// process may open it.
    package struct ReleaseSession: TransferMethod {
        /// The empty reply to ``ReleaseSession``.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "ReleaseSession"

        /// The open session's number.
        package var session: Int64

        /// Creates the value from its members.
        package init(session: Int64) {
            self.session = session
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("session", session)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var session: Int64?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "session": session = try input.value()
                default: try input.skip()
                }
            }
            self.init(session: try input.required(session, "session"))
        }
    }

    /// Lists tasks in the order of their ids, a page at a time.
    ///
    /// A page may hold fewer tasks than asked for although there are more.
    package struct ListTasks: TransferMethod {
        /// The reply to ``ListTasks``.
        package struct Reply: JSONCodable {
            /// The page's tasks; none if summaries are wanted.
            package var tasks: Encoded<[Task]>
            /// The summaries of the page's tasks, if they are wanted.
            package var summaries: Encoded<[TaskSummary]>?
            /// The value of after for the next page; missing on the last page.
            package var next: Int64?

            /// Creates the value from its members.
            package init(
                tasks: Encoded<[Task]>,
                summaries: Encoded<[TaskSummary]>? = nil,
                next: Int64? = nil
            ) {
                self.tasks = tasks
                self.summaries = summaries
                self.next = next
            }

            /// Writes the members.
            package func write(to output: inout JSONOutput) {
                output.object { output in
                    output.member("next", next)
                    output.member("summaries", summaries)
                    output.member("tasks", tasks)
                }
            }

            /// Reads the members.
            package init(from input: inout JSONInput) throws(JSONInput.Problem) {
                var tasks: Encoded<[Task]>?
                var summaries: Encoded<[TaskSummary]>?
                var next: Int64?
                try input.object { (input, member) throws(JSONInput.Problem) in
                    switch member {
                    case "tasks": tasks = try input.value()
                    case "summaries": summaries = try input.value()
                    case "next": next = try input.value()
                    default: try input.skip()
                    }
                }
                self.init(
                    tasks: try input.required(tasks, "tasks"),
                    summaries: summaries,
                    next: next
                )
            }
        }

        /// The method's name in the interface.
        package static let name = "ListTasks"

        /// Only tasks of this application.
        package var application: String?
        /// Only tasks of sessions with this identifier.
        package var session: String?
        /// Only tasks in one of these states.
        package var states: [TaskState]?
        /// Only tasks with greater ids.
        package var after: Int64?
        /// The maximum number of tasks.
        package var limit: Int?
        /// Whether only summaries of the tasks are wanted, which take less time and room.
        package var summarizes: Bool?

        /// Creates the value from its members.
        package init(
            application: String? = nil,
            session: String? = nil,
            states: [TaskState]? = nil,
            after: Int64? = nil,
            limit: Int? = nil,
            summarizes: Bool? = nil
        ) {
            self.application = application
            self.session = session
            self.states = states
            self.after = after
            self.limit = limit
            self.summarizes = summarizes
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("after", after)
                output.member("application", application)
                output.member("limit", limit)
                output.member("session", session)
                output.member("states", states)
                output.member("summarizes", summarizes)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var application: String?
            var session: String?
            var states: [TaskState]?
            var after: Int64?
            var limit: Int?
            var summarizes: Bool?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "application": application = try input.value()
                case "session": session = try input.value()
                case "states": states = try input.value()
                case "after": after = try input.value()
                case "limit": limit = try input.value()
                case "summarizes": summarizes = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                application: application,
                session: session,
                states: states,
                after: after,
                limit: limit,
                summarizes: summarizes
            )
        }
    }

    /// Returns a task in its current state.
    package struct GetTask: TransferMethod {
        /// The reply to ``GetTask``.
        package struct Reply: JSONCodable {
            /// The task.
            package var task: Task

            /// Creates the value from its members.
            package init(task: Task) {
                self.task = task
            }

            /// Writes the members.
            package func write(to output: inout JSONOutput) {
                output.object { output in
                    output.member("task", task)
                }
            }

            /// Reads the members.
            package init(from input: inout JSONInput) throws(JSONInput.Problem) {
                var task: Task?
                try input.object { (input, member) throws(JSONInput.Problem) in
                    switch member {
                    case "task": task = try input.value()
                    default: try input.skip()
                    }
                }
                self.init(task: try input.required(task, "task"))
            }
        }

        /// The method's name in the interface.
        package static let name = "GetTask"

        /// The task's id.
        package var id: Int64

        /// Creates the value from its members.
        package init(id: Int64) {
            self.id = id
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("id", id)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var id: Int64?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "id": id = try input.value()
                default: try input.skip()
                }
            }
            self.init(id: try input.required(id, "id"))
        }
    }

    /// Lists tasks that have ended and are no longer listed by ListTasks, the one that ended last first.
    ///
    /// The daemon remembers as many as its settings say, also when it is started again, and replies with at
    /// most 1000 of them.
    package struct ListEndedTasks: TransferMethod {
        /// The reply to ``ListEndedTasks``.
        package struct Reply: JSONCodable {
            /// The tasks.
            package var tasks: [EndedTask]
            /// Where the next page begins; missing after the last one.
            package var next: Int64?

            /// Creates the value from its members.
            package init(tasks: [EndedTask], next: Int64? = nil) {
                self.tasks = tasks
                self.next = next
            }

            /// Writes the members.
            package func write(to output: inout JSONOutput) {
                output.object { output in
                    output.member("next", next)
                    output.member("tasks", tasks)
                }
            }

            /// Reads the members.
            package init(from input: inout JSONInput) throws(JSONInput.Problem) {
                var tasks: [EndedTask]?
                var next: Int64?
                try input.object { (input, member) throws(JSONInput.Problem) in
                    switch member {
                    case "tasks": tasks = try input.value()
                    case "next": next = try input.value()
                    default: try input.skip()
                    }
                }
                self.init(tasks: try input.required(tasks, "tasks"), next: next)
            }
        }

        /// The method's name in the interface.
        package static let name = "ListEndedTasks"

        /// Only the tasks with these ids.
        package var ids: [Int64]?
        /// Only tasks of this application.
        package var application: String?
        /// Only tasks of sessions with this identifier.
        package var session: String?
        /// The maximum number of tasks.
        package var limit: Int?
        /// Only tasks behind those of another reply, by its member next.
        package var after: Int64?

        /// Creates the value from its members.
        package init(
            ids: [Int64]? = nil,
            application: String? = nil,
            session: String? = nil,
            limit: Int? = nil,
            after: Int64? = nil
        ) {
            self.ids = ids
            self.application = application
            self.session = session
            self.limit = limit
            self.after = after
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("after", after)
                output.member("application", application)
                output.member("ids", ids)
                output.member("limit", limit)
                output.member("session", session)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var ids: [Int64]?
            var application: String?
            var session: String?
            var limit: Int?
            var after: Int64?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "ids": ids = try input.value()
                case "application": application = try input.value()
                case "session": session = try input.value()
                case "limit": limit = try input.value()
                case "after": after = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                ids: ids,
                application: application,
                session: session,
                limit: limit,
                after: after
            )
        }
    }

    /// Returns tasks in their current state and, when called with more, their changes.
    ///
    /// The first replies hold all tasks, the later ones those that changed, at most ten times a second.
    package struct WatchTasks: TransferMethod {
        /// The reply to ``WatchTasks``.
        package struct Reply: JSONCodable {
            /// Tasks in their current state.
            package var tasks: [Task]
            /// The ids of tasks that are gone.
            package var removed: [Int64]

            /// Creates the value from its members.
            package init(tasks: [Task], removed: [Int64]) {
                self.tasks = tasks
                self.removed = removed
            }

            /// Writes the members.
            package func write(to output: inout JSONOutput) {
                output.object { output in
                    output.member("removed", removed)
                    output.member("tasks", tasks)
                }
            }

            /// Reads the members.
            package init(from input: inout JSONInput) throws(JSONInput.Problem) {
                var tasks: [Task]?
                var removed: [Int64]?
                try input.object { (input, member) throws(JSONInput.Problem) in
                    switch member {
                    case "tasks": tasks = try input.value()
                    case "removed": removed = try input.value()
                    default: try input.skip()
                    }
                }
                self.init(
                    tasks: try input.required(tasks, "tasks"),
                    removed: try input.required(removed, "removed")
                )
            }
        }

        /// The method's name in the interface.
        package static let name = "WatchTasks"

        /// Only the tasks with these ids.
        package var ids: [Int64]?

        /// Creates the value from its members.
        package init(ids: [Int64]? = nil) {
            self.ids = ids
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("ids", ids)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var ids: [Int64]?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "ids": ids = try input.value()
                default: try input.skip()
                }
            }
            self.init(ids: ids)
        }
    }

    /// Holds a task back, whatever its application wants, until ResumeTask.
    package struct PauseTask: TransferMethod {
        /// The empty reply to ``PauseTask``.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "PauseTask"

        /// The task's id.
        package var id: Int64

        /// Creates the value from its members.
        package init(id: Int64) {
            self.id = id
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("id", id)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var id: Int64?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "id": id = try input.value()
                default: try input.skip()
                }
            }
            self.init(id: try input.required(id, "id"))
        }
    }

    /// Resumes a paused task; one that waits after a failure tries again at once.
    package struct ResumeTask: TransferMethod {
        /// The empty reply to ``ResumeTask``.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "ResumeTask"

        /// The task's id.
        package var id: Int64
        /// Whether it runs from now on whatever the conditions of the machine are.
        package var now: Bool?

        /// Creates the value from its members.
        package init(id: Int64, now: Bool? = nil) {
            self.id = id
            self.now = now
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("id", id)
                output.member("now", now)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var id: Int64?
            var now: Bool?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "id": id = try input.value()
                case "now": now = try input.value()
                default: try input.skip()
                }
            }
            self.init(id: try input.required(id, "id"), now: now)
        }
    }

    /// Ends a task; its application is notified.
    package struct CancelTask: TransferMethod {
        /// The empty reply to ``CancelTask``.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "CancelTask"

        /// The task's id.
        package var id: Int64

        /// Creates the value from its members.
        package init(id: Int64) {
            self.id = id
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("id", id)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var id: Int64?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "id": id = try input.value()
                default: try input.skip()
                }
            }
            self.init(id: try input.required(id, "id"))
        }
    }

    /// Changes the rate limits of a task, for a person.
    package struct SetTaskRates: TransferMethod {
        /// The empty reply to ``SetTaskRates``.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "SetTaskRates"

        /// The task's id.
        package var id: Int64
        /// The maximum number of bytes received per second; null for no limit.
        package var receiveRate: Int64?
        /// The maximum number of bytes sent per second; null for no limit.
        package var sendRate: Int64?

        /// Creates the value from its members.
        package init(id: Int64, receiveRate: Int64? = nil, sendRate: Int64? = nil) {
            self.id = id
            self.receiveRate = receiveRate
            self.sendRate = sendRate
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("id", id)
                output.member("receiveRate", receiveRate)
                output.member("sendRate", sendRate)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var id: Int64?
            var receiveRate: Int64?
            var sendRate: Int64?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "id": id = try input.value()
                case "receiveRate": receiveRate = try input.value()
                case "sendRate": sendRate = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                id: try input.required(id, "id"),
                receiveRate: receiveRate,
                sendRate: sendRate
            )
        }
    }

    /// Changes the priority of a task, for a person.
    package struct SetTaskPriority: TransferMethod {
        /// The empty reply to ``SetTaskPriority``.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "SetTaskPriority"

        /// The task's id.
        package var id: Int64
        /// The new priority, from 0 to 1.
        package var priority: Double

        /// Creates the value from its members.
        package init(id: Int64, priority: Double) {
            self.id = id
            self.priority = priority
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("id", id)
                output.member("priority", priority)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var id: Int64?
            var priority: Double?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "id": id = try input.value()
                case "priority": priority = try input.value()
                default: try input.skip()
                }
            }
            self.init(
                id: try input.required(id, "id"),
                priority: try input.required(priority, "priority")
            )
        }
    }

    /// Gives a task another address for the same resource, for a person; the bytes that it has loaded are
    /// kept if the resource proves to be the same.
    package struct RelinkTask: TransferMethod {
        /// The empty reply to ``RelinkTask``.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "RelinkTask"

        /// The task's id.
        package var id: Int64
        /// The new address: http or https.
        package var url: String

        /// Creates the value from its members.
        package init(id: Int64, url: String) {
            self.id = id
            self.url = url
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("id", id)
                output.member("url", url)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var id: Int64?
            var url: String?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "id": id = try input.value()
                case "url": url = try input.value()
                default: try input.skip()
                }
            }
            self.init(id: try input.required(id, "id"), url: try input.required(url, "url"))
        }
    }

    /// Changes the rate limits of all tasks together.
    ///
    /// They apply until they are changed again, also to a daemon that is started later.
    package struct SetRates: TransferMethod {
        /// The empty reply to ``SetRates``.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "SetRates"

        /// The maximum number of bytes received per second; null for no limit.
        package var receiveRate: Int64?
        /// The maximum number of bytes sent per second; null for no limit.
        package var sendRate: Int64?

        /// Creates the value from its members.
        package init(receiveRate: Int64? = nil, sendRate: Int64? = nil) {
            self.receiveRate = receiveRate
            self.sendRate = sendRate
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("receiveRate", receiveRate)
                output.member("sendRate", sendRate)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var receiveRate: Int64?
            var sendRate: Int64?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "receiveRate": receiveRate = try input.value()
                case "sendRate": sendRate = try input.value()
                default: try input.skip()
                }
            }
            self.init(receiveRate: receiveRate, sendRate: sendRate)
        }
    }

    /// Reports the user's timetable.
    package struct GetTimetable: TransferMethod {
        /// The reply to ``GetTimetable``.
        package struct Reply: JSONCodable {
            /// The timetable.
            package var timetable: Timetable

            /// Creates the value from its members.
            package init(timetable: Timetable) {
                self.timetable = timetable
            }

            /// Writes the members.
            package func write(to output: inout JSONOutput) {
                output.object { output in
                    output.member("timetable", timetable)
                }
            }

            /// Reads the members.
            package init(from input: inout JSONInput) throws(JSONInput.Problem) {
                var timetable: Timetable?
                try input.object { (input, member) throws(JSONInput.Problem) in
                    switch member {
                    case "timetable": timetable = try input.value()
                    default: try input.skip()
                    }
                }
                self.init(timetable: try input.required(timetable, "timetable"))
            }
        }

        /// The method's name in the interface.
        package static let name = "GetTimetable"

        /// Creates the value.
        package init() {}

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { _ in }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            try input.object { (input, _) throws(JSONInput.Problem) in try input.skip() }
            self.init()
        }
    }

    /// Adds a rule to the user's timetable, or removes one.
    ///
    /// When it is answered, the file is on the disk and the rules hold.
    package struct ChangeTimetable: TransferMethod {
        /// The reply to ``ChangeTimetable``.
        package struct Reply: JSONCodable {
            /// The timetable, as it is then.
            package var timetable: Timetable

            /// Creates the value from its members.
            package init(timetable: Timetable) {
                self.timetable = timetable
            }

            /// Writes the members.
            package func write(to output: inout JSONOutput) {
                output.object { output in
                    output.member("timetable", timetable)
                }
            }

            /// Reads the members.
            package init(from input: inout JSONInput) throws(JSONInput.Problem) {
                var timetable: Timetable?
                try input.object { (input, member) throws(JSONInput.Problem) in
                    switch member {
                    case "timetable": timetable = try input.value()
                    default: try input.skip()
                    }
                }
                self.init(timetable: try input.required(timetable, "timetable"))
            }
        }

        /// The method's name in the interface.
        package static let name = "ChangeTimetable"

        /// A rule to add, unless it is there.
        package var add: String?
        /// A rule to remove, or its number.
        package var remove: String?

        /// Creates the value from its members.
        package init(add: String? = nil, remove: String? = nil) {
            self.add = add
            self.remove = remove
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("add", add)
                output.member("remove", remove)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var add: String?
            var remove: String?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "add": add = try input.value()
                case "remove": remove = try input.value()
                default: try input.skip()
                }
            }
            self.init(add: add, remove: remove)
        }
    }

    /// Lists the applications that the daemon may start.
    package struct ListHooks: TransferMethod {
        /// The reply to ``ListHooks``.
        package struct Reply: JSONCodable {
            /// The applications.
            package var hooks: [Hook]

            /// Creates the value from its members.
            package init(hooks: [Hook]) {
                self.hooks = hooks
            }

            /// Writes the members.
            package func write(to output: inout JSONOutput) {
                output.object { output in
                    output.member("hooks", hooks)
                }
            }

            /// Reads the members.
            package init(from input: inout JSONInput) throws(JSONInput.Problem) {
                var hooks: [Hook]?
                try input.object { (input, member) throws(JSONInput.Problem) in
                    switch member {
                    case "hooks": hooks = try input.value()
                    default: try input.skip()
                    }
                }
                self.init(hooks: try input.required(hooks, "hooks"))
            }
        }

        /// The method's name in the interface.
        package static let name = "ListHooks"

        /// Creates the value.
        package init() {}

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { _ in }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            try input.object { (input, _) throws(JSONInput.Problem) in try input.skip() }
            self.init()
        }
    }

    /// Forgets how to start an application, until it opens a session again.
    package struct RemoveHook: TransferMethod {
        /// The empty reply to ``RemoveHook``.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "RemoveHook"

        /// The application's identifier.
        package var application: String

        /// Creates the value from its members.
        package init(application: String) {
            self.application = application
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("application", application)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var application: String?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "application": application = try input.value()
                default: try input.skip()
                }
            }
            self.init(application: try input.required(application, "application"))
        }
    }

    /// Cancels an application's tasks because its user quit it, and does not start it until its user does.
    package struct QuitApplication: TransferMethod {
        /// The reply to ``QuitApplication``.
        package struct Reply: JSONCodable {
            /// The number of cancelled tasks.
            package var cancelled: Int

            /// Creates the value from its members.
            package init(cancelled: Int) {
                self.cancelled = cancelled
            }

            /// Writes the members.
            package func write(to output: inout JSONOutput) {
                output.object { output in
                    output.member("cancelled", cancelled)
                }
            }

            /// Reads the members.
            package init(from input: inout JSONInput) throws(JSONInput.Problem) {
                var cancelled: Int?
                try input.object { (input, member) throws(JSONInput.Problem) in
                    switch member {
                    case "cancelled": cancelled = try input.value()
                    default: try input.skip()
                    }
                }
                self.init(cancelled: try input.required(cancelled, "cancelled"))
            }
        }

        /// The method's name in the interface.
        package static let name = "QuitApplication"

        /// The application's identifier.
        package var application: String

        /// Creates the value from its members.
        package init(application: String) {
            self.application = application
        }

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { output in
                output.member("application", application)
            }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            var application: String?
            try input.object { (input, member) throws(JSONInput.Problem) in
                switch member {
                case "application": application = try input.value()
                default: try input.skip()
                }
            }
            self.init(application: try input.required(application, "application"))
        }
    }

    /// Returns the status of the daemon.
    package struct GetStatus: TransferMethod {
        /// The reply to ``GetStatus``.
        package struct Reply: JSONCodable {
            /// The daemon.
            package var status: Status

            /// Creates the value from its members.
            package init(status: Status) {
                self.status = status
            }

            /// Writes the members.
            package func write(to output: inout JSONOutput) {
                output.object { output in
                    output.member("status", status)
                }
            }

            /// Reads the members.
            package init(from input: inout JSONInput) throws(JSONInput.Problem) {
                var status: Status?
                try input.object { (input, member) throws(JSONInput.Problem) in
                    switch member {
                    case "status": status = try input.value()
                    default: try input.skip()
                    }
                }
                self.init(status: try input.required(status, "status"))
            }
        }

        /// The method's name in the interface.
        package static let name = "GetStatus"

        /// Creates the value.
        package init() {}

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { _ in }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            try input.object { (input, _) throws(JSONInput.Problem) in try input.skip() }
            self.init()
        }
    }

    /// Reports the settings that hold, and where each is from.
    package struct GetSettings: TransferMethod {
        /// The reply to ``GetSettings``.
        package struct Reply: JSONCodable {
            /// The settings.
            package var settings: Settings

            /// Creates the value from its members.
            package init(settings: Settings) {
                self.settings = settings
            }

            /// Writes the members.
            package func write(to output: inout JSONOutput) {
                output.object { output in
                    output.member("settings", settings)
                }
            }

            /// Reads the members.
            package init(from input: inout JSONInput) throws(JSONInput.Problem) {
                var settings: Settings?
                try input.object { (input, member) throws(JSONInput.Problem) in
                    switch member {
                    case "settings": settings = try input.value()
                    default: try input.skip()
                    }
                }
                self.init(settings: try input.required(settings, "settings"))
            }
        }

        /// The method's name in the interface.
        package static let name = "GetSettings"

        /// Creates the value.
        package init() {}

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { _ in }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            try input.object { (input, _) throws(JSONInput.Problem) in try input.skip() }
            self.init()
        }
    }

    /// Reads the files with the settings again.
    ///
    /// When it is answered, what they say holds, also for running tasks where that is possible.
    package struct Reload: TransferMethod {
        /// The reply to ``Reload``.
        package struct Reply: JSONCodable {
            /// The settings, as they are then.
            package var settings: Settings

            /// Creates the value from its members.
            package init(settings: Settings) {
                self.settings = settings
            }

            /// Writes the members.
            package func write(to output: inout JSONOutput) {
                output.object { output in
                    output.member("settings", settings)
                }
            }

            /// Reads the members.
            package init(from input: inout JSONInput) throws(JSONInput.Problem) {
                var settings: Settings?
                try input.object { (input, member) throws(JSONInput.Problem) in
                    switch member {
                    case "settings": settings = try input.value()
                    default: try input.skip()
                    }
                }
                self.init(settings: try input.required(settings, "settings"))
            }
        }

        /// The method's name in the interface.
        package static let name = "Reload"

        /// Creates the value.
        package init() {}

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { _ in }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            try input.object { (input, _) throws(JSONInput.Problem) in try input.skip() }
            self.init()
        }
    }

    /// Stops the daemon; its tasks continue when it is started again.
    package struct Stop: TransferMethod {
        /// The empty reply to ``Stop``.
        package typealias Reply = Empty

        /// The method's name in the interface.
        package static let name = "Stop"

        /// Creates the value.
        package init() {}

        /// Writes the members.
        package func write(to output: inout JSONOutput) {
            output.object { _ in }
        }

        /// Reads the members.
        package init(from input: inout JSONInput) throws(JSONInput.Problem) {
            try input.object { (input, _) throws(JSONInput.Problem) in try input.skip() }
            self.init()
        }
    }
}
