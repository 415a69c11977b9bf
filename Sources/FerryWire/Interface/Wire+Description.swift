extension Wire {
    /// The interface's text, as `GetInterfaceDescription` answers it.
    ///
    /// It equals `io.ferry.Transfer.varlink`, which a test makes sure of: a program that has to find a
    /// file before it can describe itself is one that can fail to.
    package static let description = #"""
        # Ferry's transfers in the background: an application opens a session, hands over downloads and uploads
        # and may end; the daemon carries them out, tells the session's events until each is acknowledged, and
        # starts the application again when it is needed. People and other programs list, watch and control all
        # transfers of their user.
        #
        # Absent and null mean the same for a nullable member. A reader ignores members it does not know.
        interface io.ferry.Transfer

        # A field of an HTTP message.
        type Field (
            # The field's name; case does not matter.
            name: string,
            # The field's value.
            value: string
        )

        # A request for a resource.
        type Request (
            # The resource's address: http or https.
            url: string,
            # The request's method, such as GET.
            method: string,
            # The header fields, in the order in which they are sent.
            fields: []Field,
            # The body, in base64.
            body: ?string,
            # How many seconds may pass without a byte before the attempt is given up; 0 for ever.
            idleTimeout: float
        )

        # The head of a server's answer.
        type Response (
            # The address that answered, after redirects.
            url: string,
            # The status code.
            status: int,
            # The protocol's version, such as HTTP/1.1.
            version: string,
            # The header fields, in the order in which they arrived.
            fields: []Field
        )

        # How to start an application again.
        type Launch (
            # The program's absolute path.
            executable: string,
            # The arguments after the program's name.
            arguments: []string,
            # The working directory's absolute path.
            directory: string,
            # The environment variables, all of them.
            environment: [string]string
        )

        # An application that hands over transfers.
        type Application (
            # What tells the application from the user's others.
            identifier: string,
            # How to start it when its transfers need it; without it, it is never started.
            launch: ?Launch
        )

        # What holds for all tasks of a session.
        type SessionConfiguration (
            # Header fields for every request that does not set them itself.
            additionalFields: []Field,
            # How many seconds a task may take from its first resume, retries included; 0 for ever.
            resourceTimeout: float,
            # How many tasks of the session may load from one host at once.
            maximumConnectionsPerHost: int,
            # Whether the application is started when all tasks are done, and for what it has to decide.
            sendsLaunchEvents: bool,
            # Whether the application answers challenges; otherwise they are dealt with as if it had nothing to say.
            answersChallenges: ?bool
        )

        # Why a task waits.
        type WaitReason (
            # A person paused it.
            paused,
            # Its host has as many transfers as it may have.
            hostLimit,
            # The daemon has as many transfers as it may have.
            connectionLimit,
            # The last attempt failed; the next one comes later.
            backoff,
            # Its application wants it to begin later.
            earliestBegin,
            # Its application has to decide something first.
            application,
            # It is about to start.
            starting,
            # None of these; the detail says what.
            other
        )

        # Why a task does not run although it may.
        type Wait (
            # The reason, for programs.
            reason: WaitReason,
            # When it ends, in seconds since 1970, where that is known.
            until: ?float,
            # The reason's particulars, for people.
            detail: ?string
        )

        # Until when a task does not begin.
        type EarliestBegin (
            # The date, in seconds since 1970.
            date: float,
            # Whether the application is asked then; it is started for that if it is not there.
            asks: bool
        )

        # What went wrong with a transfer.
        type Failure (
            # The failure's class, for programs, such as timedOut.
            code: string,
            # What happened, for people.
            message: string
        )

        # A way in which a server or a proxy wants to be told who asks (RFC 9110).
        type PasswordChallenge (
            # The scheme in lower case: basic or digest.
            scheme: string,
            # What it comes with, by name in lower case; the realm among it.
            parameters: [string]string,
            # Whether a proxy asks.
            isProxy: bool
        )

        # What verifying a server's certificates has found.
        type CertificateVerdict (
            # A trusted authority stands for them, and for this host.
            trusted,
            # They have expired, or are not valid yet.
            badDate,
            # Nobody who is trusted stands for them.
            untrusted,
            # They are good, and another host's.
            forAnotherHost
        )

        # Who a server says it is.
        type ServerTrust (
            # The host that was asked for.
            host: string,
            # The certificates (DER) in base64, the server's own first.
            certificates: []string,
            # What verifying them has found.
            verdict: CertificateVerdict,
            # The verdict's reason, for people: with badDate and untrusted.
            reason: ?string
        )

        # A server's wish to know by a certificate who its client is.
        type CertificateWish (
            # The host that was asked for.
            host: string,
            # The names of the authorities (DER) that the server trusts in this, in base64; none if it does not say.
            issuers: []string
        )

        # What a server or a proxy wants to know before it answers: one of password, trust and certificate.
        type Challenge (
            # The origin of the request, such as https://example.org:443.
            origin: string,
            # How many answers to the same question were refused in this attempt.
            previousFailureCount: int,
            # The answer that asks; a handshake has none.
            response: ?Response,
            # A name and a password.
            password: ?PasswordChallenge,
            # Whether the server is the one that is meant.
            trust: ?ServerTrust,
            # Who the client is.
            certificate: ?CertificateWish
        )

        # What is to be done about a challenge.
        type ChallengeDisposition (
            # Use the name and password, or the identity, or trust the server.
            use,
            # Go on as if nobody could be asked.
            goOn,
            # Try the next way that the other side offers.
            reject,
            # Fail the task as cancelled.
            cancel
        )

        # How an identity is written down.
        type IdentityFormat (
            # PEM: the certificate, those that stand for it, the key.
            pem,
            # PKCS #12 (RFC 7292).
            pkcs12
        )

        # A certificate and its key, by which a client proves who it is. It is never stored.
        type Identity (
            # How it is written down.
            format: IdentityFormat,
            # Certificate and key, in base64.
            content: string,
            # What the key is locked with.
            passphrase: ?string
        )

        # What a task sends.
        type Upload (
            # How many bytes the file has.
            byteCount: int,
            # How many of them have been sent in the latest attempt.
            sentByteCount: int
        )

        # What a task is doing.
        type TaskState (
            # Its application has not resumed it, or suspended it.
            suspended,
            # It may run and waits its turn.
            waiting,
            # It loads.
            running,
            # It is done; its events have not all been acknowledged.
            completed
        )

        # A transfer, as it stands.
        type Task (
            # The task's number, unique for this user's daemon.
            id: int,
            # The identifier of the application that the task belongs to.
            application: string,
            # The identifier of the session that the task belongs to.
            session: string,
            # The task's number in its session.
            identifier: int,
            # What the task is doing.
            state: TaskState,
            # The application's own words on the task.
            description: ?string,
            # How important the task is among its session's, from 0 to 1.
            priority: float,
            # The request that the task was made with.
            originalRequest: Request,
            # The request after redirects, where it differs.
            currentRequest: ?Request,
            # The latest answer.
            response: ?Response,
            # How many bytes of the body are held.
            receivedByteCount: int,
            # How many bytes the body has, where that is known.
            expectedByteCount: ?int,
            # What it sends, if it is an upload.
            upload: ?Upload,
            # Why the task does not run, while it waits.
            wait: ?Wait,
            # What went wrong last.
            failure: ?Failure,
            # How many attempts have failed since bytes last arrived.
            attempts: int,
            # When the task was made, in seconds since 1970.
            created: float,
            # The date before which it was not to begin, in seconds since 1970.
            earliestBegin: ?float
        )

        # What an event tells.
        type EventKind (
            # The head of an answer arrived.
            response,
            # The download goes on where an earlier attempt stopped.
            resumed,
            # Bytes arrived, or were sent; only the latest figures are told, at most ten times a second.
            progress,
            # The file is there; an upload's is the body of the answer.
            finished,
            # The task is over; nothing follows for it.
            completed,
            # A server or a proxy wants to know something: AnswerChallenge answers.
            challenged,
            # The date has come that the task was to begin at: Begin lets it, Cancel ends it.
            delayed,
            # All events of the past have been told; from here on they are told as they happen.
            drained
        )

        # What a session's owner is told.
        type Event (
            # What happened; it says which other members are there.
            kind: EventKind,
            # What Acknowledge takes; only finished and completed have it.
            sequence: ?int,
            # The task's number in its session; all but drained have it.
            task: ?int,
            # The answer: with response, finished and, if that does not come before, completed.
            response: ?Response,
            # The request after redirects, where it differs: with the answer. The request that would be sent: with
            # delayed.
            request: ?Request,
            # How many bytes were held already: with resumed.
            offset: ?int,
            # How many bytes of the body are held: with progress, finished and completed.
            receivedByteCount: ?int,
            # How many bytes the body has, where that is known.
            expectedByteCount: ?int,
            # How many bytes of its file an upload has sent: with progress, finished and completed.
            sentByteCount: ?int,
            # The finished file's absolute path, valid until the event is acknowledged: with finished.
            path: ?string,
            # What went wrong: with completed, unless all went well.
            failure: ?Failure,
            # What the download can be continued from, in base64: with completed.
            resumeData: ?string,
            # Why the system cancelled the task, by Apple's numbers: with completed.
            cancelReason: ?int,
            # The question's number, which tells it from later ones of the task: with challenged and delayed. A
            # question is told again over each new subscription until it is answered.
            question: ?int,
            # What is wanted: with challenged.
            challenge: ?Challenge
        )

        # An application that the daemon starts when its transfers need it.
        type Hook (
            # The application's identifier.
            application: string,
            # How it is started.
            launch: ?Launch,
            # How often it was started without taking its events.
            attempts: int,
            # When it is started next, in seconds since 1970.
            nextLaunch: ?float,
            # The identifiers of its sessions that hold events for it.
            pendingSessions: []string,
            # Whether its user quit it: then it is not started.
            quit: bool
        )

        # What a log is.
        type LogKind (
            # The standard error stream of a daemon in the foreground.
            stderr,
            # The system's journal.
            journal,
            # A file of its own.
            file
        )

        # Where the daemon writes its log.
        type Log (
            # What the log is.
            kind: LogKind,
            # The file's absolute path: with file.
            path: ?string
        )

        # The daemon, as it stands.
        type Status (
            # The daemon's version.
            version: string,
            # The daemon's process.
            pid: int,
            # When it started, in seconds since 1970.
            started: float,
            # The paths of the sockets it listens on.
            sockets: []string,
            # The directory that holds the queue.
            stateDirectory: string,
            # Where it writes its log.
            log: Log,
            # How many tasks load.
            running: int,
            # How many tasks wait to load.
            waiting: int,
            # How many tasks are suspended.
            suspended: int,
            # How many sessions are open.
            sessions: int,
            # How many clients are connected.
            connections: int
        )

        # Opens a session for its application, which learns of its events until the connection closes.
        # One process at a time may have a session open. The session's number is good on every connection of
        # that process until the connection that opened it closes or CloseSession is called.
        method OpenSession(
            # The application.
            application: Application,
            # What tells the session from the application's others.
            identifier: string,
            # What holds for the session's tasks.
            configuration: SessionConfiguration
        ) -> (
            # The open session's number.
            session: int,
            # A number that no task of the session has had yet.
            nextTaskIdentifier: int
        )

        # Makes a download. Once answered, it is durable.
        # Repeating the call with the same contents changes nothing, even when the task is gone.
        method CreateDownload(
            # The open session's number.
            session: int,
            # The new task's number in its session, chosen by the caller; 1 or more.
            identifier: int,
            # What to load.
            request: Request,
            # What to continue from, in base64.
            resumeData: ?string,
            # The application's own words on the task.
            description: ?string,
            # How important the task is, from 0 to 1.
            priority: float,
            # Whether it may run at once; otherwise it is suspended.
            resumed: ?bool,
            # Until when it does not begin, as SetEarliestBegin has it.
            earliestBegin: ?EarliestBegin
        ) -> (
            # The task's number, unique for this user's daemon; 0 for one that is gone.
            id: int
        )

        # Makes an upload. Once answered, it is durable.
        # The file comes along as a descriptor (SCM_RIGHTS) that is open for reading; it has to be sent with
        # bytes of this call alone. Repeating the call with the same contents changes nothing, even when the task
        # is gone.
        method CreateUpload(
            # The open session's number.
            session: int,
            # The new task's number in its session, chosen by the caller; 1 or more.
            identifier: int,
            # Where to send the file; a body in it is not sent.
            request: Request,
            # The file's absolute path, by which the daemon finds it again if it has to.
            path: string,
            # The application's own words on the task.
            description: ?string,
            # How important the task is, from 0 to 1.
            priority: float,
            # Whether it may run at once; otherwise it is suspended.
            resumed: ?bool,
            # Until when it does not begin, as SetEarliestBegin has it.
            earliestBegin: ?EarliestBegin
        ) -> (
            # The task's number, unique for this user's daemon; 0 for one that is gone.
            id: int
        )

        # Lets a suspended task run.
        method Resume(
            # The open session's number.
            session: int,
            # The task's number in its session.
            identifier: int
        ) -> ()

        # Stops a task until it is resumed; the bytes it has are kept.
        method Suspend(
            # The open session's number.
            session: int,
            # The task's number in its session.
            identifier: int
        ) -> ()

        # Ends a task; its completed event follows.
        method Cancel(
            # The open session's number.
            session: int,
            # The task's number in its session.
            identifier: int
        ) -> ()

        # Ends a task such that it can be continued.
        method CancelProducingResumeData(
            # The open session's number.
            session: int,
            # The task's number in its session.
            identifier: int
        ) -> (
            # What to continue from, in base64; nothing where that is not possible.
            resumeData: ?string
        )

        # Changes the application's own words on a task.
        method SetDescription(
            # The open session's number.
            session: int,
            # The task's number in its session.
            identifier: int,
            # The new words; nothing removes them.
            description: ?string
        ) -> ()

        # Changes how important a task is.
        method SetPriority(
            # The open session's number.
            session: int,
            # The task's number in its session.
            identifier: int,
            # The new importance, from 0 to 1.
            priority: float
        ) -> ()

        # Changes until when a task does not begin. A task that has begun goes on; its next attempt waits.
        method SetEarliestBegin(
            # The open session's number.
            session: int,
            # The task's number in its session.
            identifier: int,
            # The date; nothing lets it begin at once.
            earliestBegin: ?EarliestBegin
        ) -> ()

        # Lets a task begin whose application was asked about it.
        method Begin(
            # The open session's number.
            session: int,
            # The task's number in its session.
            identifier: int,
            # What to send in place of the task's request.
            request: ?Request
        ) -> ()

        # Answers a challenge. An answer to a question that is no longer open changes nothing.
        method AnswerChallenge(
            # The open session's number.
            session: int,
            # The task's number in its session.
            identifier: int,
            # The question's number.
            question: int,
            # What is to be done.
            disposition: ChallengeDisposition,
            # The user's name: with use, to a password challenge.
            user: ?string,
            # The password: with use, to a password challenge.
            password: ?string,
            # Who the client is: with use, to a certificate challenge.
            identity: ?Identity,
            # Whether the answer also holds for other tasks of the session, until the daemon ends.
            isKept: ?bool,
            # Whether the application answers no challenges at all: it is not asked any more.
            answersNoOthers: ?bool
        ) -> ()

        # Says that an event has been dealt with; it is not told again and its file is deleted.
        method Acknowledge(
            # The open session's number.
            session: int,
            # The event's sequence.
            sequence: int
        ) -> ()

        # Ends a session for good, once its tasks are done.
        method CloseSession(
            # The open session's number.
            session: int,
            # Whether to cancel its tasks first.
            cancel: bool
        ) -> ()

        # Tells a session's events: first those not acknowledged yet, then drained, then each as it happens.
        # Must be called with more. The connection is busy with it until it closes, so give it one of its
        # own.
        method Subscribe(
            # The open session's number.
            session: int
        ) -> (
            # What happened.
            event: Event
        )

        # Lists tasks in the order of their ids, a page at a time.
        # A page may hold fewer tasks than asked for although there are more.
        method ListTasks(
            # Only tasks of this application.
            application: ?string,
            # Only tasks of sessions with this identifier.
            session: ?string,
            # Only tasks in one of these states.
            states: ?[]TaskState,
            # Only tasks with greater ids.
            after: ?int,
            # How many tasks at most.
            limit: ?int
        ) -> (
            # The page's tasks.
            tasks: []Task,
            # What the next page is after; nothing on the last page.
            next: ?int
        )

        # Tells how a task stands.
        method GetTask(
            # The task's id.
            id: int
        ) -> (
            # The task.
            task: Task
        )

        # Tells how tasks stand and, when called with more, how they change.
        # The first replies hold all tasks, the later ones those that changed, at most ten times a second.
        method WatchTasks(
            # Only the tasks with these ids.
            ids: ?[]int
        ) -> (
            # Tasks as they now stand.
            tasks: []Task,
            # The ids of tasks that are gone.
            removed: []int
        )

        # Holds a task back, whatever its application wants, until ResumeTask.
        method PauseTask(
            # The task's id.
            id: int
        ) -> ()

        # Lets a paused task run; one that backs off tries again at once.
        method ResumeTask(
            # The task's id.
            id: int
        ) -> ()

        # Ends a task; its application learns of it.
        method CancelTask(
            # The task's id.
            id: int
        ) -> ()

        # Lists the applications that the daemon may start.
        method ListHooks() -> (
            # The applications.
            hooks: []Hook
        )

        # Forgets how to start an application, until it opens a session again.
        method RemoveHook(
            # The application's identifier.
            application: string
        ) -> ()

        # Cancels an application's tasks because its user quit it, and starts it no more until its user
        # does.
        method QuitApplication(
            # The application's identifier.
            application: string
        ) -> (
            # How many tasks were cancelled.
            cancelled: int
        )

        # Tells how the daemon stands.
        method GetStatus() -> (
            # The daemon.
            status: Status
        )

        # Stops the daemon; its tasks go on when it is started again.
        method Stop() -> ()

        # Another process has the session open.
        error SessionInUse (
            # The session's identifier.
            identifier: string,
            # The other process.
            pid: int
        )

        # No open session of the caller has the number.
        error SessionNotOpen (
            # The number.
            session: int
        )

        # There is no such task.
        error TaskNotFound (
            # The task's id, or its number in its session: what was asked for.
            id: int
        )

        # There is no such application.
        error ApplicationNotFound (
            # The identifier that was asked for.
            application: string
        )

        # A parameter has a value that makes no sense.
        error InvalidRequest (
            # The parameter's name.
            parameter: string,
            # What is wrong with it, for people.
            reason: string
        )

        # The queue cannot be read or written; nothing was changed.
        error StoreUnavailable (
            # What is wrong, for people.
            reason: string
        )

        # A limit does not allow it.
        error LimitExceeded (
            # The limit's name.
            limit: string,
            # The limit.
            maximum: int
        )

        # The caller may not do that.
        error PermissionDenied ()

        # The daemon made a mistake; the log says more.
        error InternalFailure (
            # What is wrong, for people.
            reason: string
        )

        """#
}
