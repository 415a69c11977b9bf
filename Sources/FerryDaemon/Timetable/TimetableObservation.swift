import FerrySystem

/// Follows the file with the user's timetable, and the rules of the time zone.
///
/// There is no timer and no poll: the kernel tells of changes to the file and to the link to the zone.
@LoopActor
final class TimetableObservation {
    /// What has changed.
    enum Change: Hashable, Sendable {
        /// The rules.
        case timetable(Timetable)
        /// The lines that cannot be used, or the reason why the file cannot be.
        case faults([LineFault])
        /// The rules of the time zone.
        case zone
        /// Changes to the file, or to the zone, are not noticed.
        case blindness(SystemCallError)
    }

    /// How long the first reading is waited for: the file's server may not answer.
    private static let timeout: Duration = .seconds(2)
    /// How long a file is missing or empty before that counts: editors move the old one away, or empty it, before they
    /// write the new one.
    private static let grace: Duration = .seconds(1)

    private let file: TimetableFile
    private let zone: DirectoryEntry?
    /// Called on the loop; `nil` until the file was read for the first time, or has not answered.
    private var onChange: (@LoopActor (Change) -> Void)?
    private var text = TimetableText()
    private var failure: TimetableError?
    private var blindness: SystemCallError?
    private var fileObservation: DirectoryObservation?
    private var zoneObservation: DirectoryObservation?
    private var disappearance: LoopTimer?
    private var isReading = false
    private var isOutdated = false
    private var firstReading: (@LoopActor () -> Void)?

    /// Creates the observation; ``start(_:)`` begins it.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - zone: The link to the rules of the time zone; `nil` if they do not change.
    init(
        of file: TimetableFile,
        zone: DirectoryEntry? = LocalTime.followsZone ? LocalTime.zone : nil
    ) {
        self.file = file
        self.zone = zone
    }

    isolated deinit { disappearance?.cancel() }

    /// The file's path.
    var path: String { file.path }

    /// The rules.
    var timetable: Timetable { text.timetable }

    /// The lines that cannot be used, or the reason why the whole file cannot be; the rules that were read before hold.
    var faults: [LineFault] {
        failure.map { [LineFault(reason: $0.message)] } ?? text.faults
    }

    /// Reads the file, and follows it from then on; a file that does not answer is followed when it does.
    ///
    /// - Parameter onChange: Called on the loop after this has returned; at once for what is wrong with the file.
    func start(_ onChange: @escaping @LoopActor (Change) -> Void) async {
        await withCheckedContinuation { continuation in
            let timer = EventLoop.shared.schedule(after: Self.timeout) { [weak self] in
                self?.firstReading?()
            }
            firstReading = { [weak self] in
                timer.cancel()
                self?.firstReading = nil
                continuation.resume()
            }
            read()
        }
        self.onChange = onChange
        if !faults.isEmpty { onChange(.faults(faults)) }
        if let blindness { onChange(.blindness(blindness)) }
    }

    /// Changes the file.
    ///
    /// - Throws: ``TimetableError`` if that is not possible; nothing has changed then.
    func change(
        _ edit: @escaping @Sendable (inout TimetableText) throws(TimetableError) -> Void
    ) async throws(TimetableError) {
        take(try await file.change(edit))
    }

    // MARK: The file

    /// Reads the file; what it says is reported as any change.
    func read() {
        isOutdated = true
        guard !isReading else { return }
        isReading = true
        LoopActor.task { [weak self, file] in
            while let self, isOutdated {
                isOutdated = false
                take(await file.read())
            }
            self?.isReading = false
            self?.firstReading?()
        }
    }

    private func take(_ reading: TimetableFile.Reading) {
        do throws(SystemCallError) {
            fileObservation = try DirectoryObservation(try reading.changes.get()) { [weak self] in
                self?.read()
            }
            blindness = nil
        } catch {
            noticeBlindness(error)
        }
        switch reading.text {
        case .success(let text): take(TimetableText(text))
        case .failure(let error): take(text, error)
        case nil where timetable.rules.isEmpty || disappearance?.isPending == false:
            take(TimetableText())
        case nil where disappearance == nil:
            disappearance = EventLoop.shared.schedule(after: Self.grace) { [weak self] in
                self?.read()
            }
        case nil: break
        }
    }

    private func take(_ text: TimetableText, _ failure: TimetableError? = nil) {
        disappearance?.cancel()
        disappearance = nil
        let (oldTimetable, oldFaults) = (timetable, faults)
        (self.text, self.failure) = (text, failure)
        followZone()
        if timetable != oldTimetable { onChange?(.timetable(timetable)) }
        if faults != oldFaults { onChange?(.faults(faults)) }
    }

    // MARK: The time zone

    /// Follows the time zone as long as something depends on it.
    private func followZone() {
        guard let zone, timetable.dependsOnTime else {
            zoneObservation = nil
            return
        }
        guard zoneObservation == nil else { return }
        do throws(SystemCallError) {
            zoneObservation = try DirectoryObservation(DirectoryChanges(of: [zone])) {
                [weak self] in
                LocalTime.readZone()
                self?.onChange?(.zone)
            }
        } catch {
            noticeBlindness(error)
        }
        // What has changed while nothing depended on it.
        LocalTime.readZone()
    }

    private func noticeBlindness(_ error: SystemCallError) {
        guard error != blindness else { return }
        blindness = error
        onChange?(.blindness(error))
    }
}
