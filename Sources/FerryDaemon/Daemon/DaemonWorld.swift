import FerryStore
import FerrySystem
import FerryTransfer
import FerryWire
import FoundationEssentials

/// What a daemon acts on: the store, transfers, files, clients, applications and timers.
///
/// ``Daemon`` is the real one. The tests simulate another, so that they run the same ``DaemonDriver`` through random
/// histories. Each function performs one effect of the state machine; ``DaemonStateMachine/Effect`` says what each does,
/// and which input it results in.
protocol DaemonWorld: AnyObject {
    typealias Machine = DaemonStateMachine
    /// What is read and found before a transfer can be made.
    associatedtype Setup
    /// A transfer that runs.
    associatedtype Transfer

    /// The current moment in the daemon's time.
    var now: Date { get }
    /// Returns whether the daemon still runs: a simulated one is killed between two effects.
    func stillRuns() -> Bool

    // MARK: The store and time

    /// Changes the store, and passes the result to ``DaemonDriver/finished(_:_:)``, in the order of the commits.
    func submit(_ commit: CommitBacklog.Commit)
    /// Asks the store in a later turn of the loop, and passes the result to ``DaemonDriver/answered(_:_:)``.
    func ask(_ query: Machine.Query)
    /// Calls ``DaemonDriver/clearBacklog()`` after a delay, because the store could not be written.
    func retry(after delay: Duration, because error: StoreError)
    /// Calls ``DaemonDriver/alarmRang(_:)`` after some seconds, in place of an earlier alarm; `nil` for never.
    func setAlarm(_ timer: Machine.Timer, after seconds: Double?)

    // MARK: Clients

    func answer(_ call: CallID, _ answer: Machine.Answer)
    func refuse(_ call: CallID, _ error: TransferInterfaceError)
    func send(_ event: Wire.Event, over call: CallID)
    func send(_ event: EventRecord, over call: CallID)
    func endSubscription(_ call: CallID)
    func changed(task: TaskID)
    func waitsChanged()
    func removed(task: TaskID)
    func writeLog(_ level: LogLevel, _ message: String, task: TaskID?)

    // MARK: Transfers

    /// Reads and finds what a transfer needs, and passes it to ``DaemonDriver/prepared(_:_:as:)``.
    func prepareTransfer(_ start: Machine.TransferStart, as preparation: TransferPreparation)
    /// Makes a transfer, which reports nothing before this call has returned.
    func makeTransfer(
        _ start: Machine.TransferStart,
        _ setup: Setup
    ) throws(TransferError) -> Transfer
    /// Ends a transfer at once and without an event.
    func stop(_ transfer: Transfer, of task: TaskID)
    /// Ends a transfer at once, forces its file onto the disk, and passes ``DaemonStateMachine/flush(task:_:)`` later.
    func flush(_ transfer: Transfer, of task: TaskID)
    func renewConnections()
    func limitRates(_ rates: SharedRates, of transfer: Transfer)
    func limitRates(_ rates: SharedRates, ofSession session: SessionID?)
    func prioritize(_ transfer: Transfer, _ priority: Double)
    func revokeConnection(of transfer: Transfer, to host: String?)
    func answerChallenge(of task: TaskID, _ answer: LoadChallengeAnswer)
    func terminate(_ task: TaskRecord, _ resource: UploadResource)
    func forgetConnections(ofSession session: SessionID)
    func forget(session: SessionID)

    // MARK: Files

    func copyFile(_ copy: Machine.FileCopy)
    func abandonCopy(for task: TaskID)
    func seal(task: TaskID)
    func adopt(_ resumeData: Data, _ task: TaskRecord)
    func secure(_ upload: UploadState, of task: TaskID, for call: CallID)
    func makeResumeData(of task: TaskRecord, _ ending: Machine.Ending)
    func keepFile(of task: TaskID, for resumeData: Data)
    func discardFile(of task: TaskID)
    func removeFile(of task: TaskID)

    // MARK: Applications and the daemon itself

    /// Passes those of some conditions that the machine is in to `conditionsChanged`, at once and whenever they change.
    func observe(_ conditions: Conditions)
    func launch(_ application: ApplicationID, _ launch: Wire.Launch, session: String)
    func inhibit(_ inhibition: MachineSleep.Inhibition)
    func allowSleep()
    func exit()
}
