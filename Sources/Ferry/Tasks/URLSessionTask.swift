public import Foundation
import Synchronization

/// One request of a session, and its result.
///
/// Tasks are made by the methods of ``URLSession`` and start suspended: call ``resume()``. All members
/// may be used from any thread.
open class URLSessionTask: NSObject, NSCopying, ProgressReporting, @unchecked Sendable {
    // @unchecked because an open class cannot be checked; all mutable state is in the mutex.
    let storage: Mutex<Storage>
    let backend: any TaskBackend
    let core: SessionCore

    /// The task's identifier, unique within its session only.
    ///
    /// In a background session the task keeps it when the app is restarted. Tasks count on from those that the session
    /// has had. A task that is made before the daemon has said how many those are has a number far greater, of as many
    /// microseconds as since 1970: making a task does not wait for the daemon.
    public let taskIdentifier: Int

    init(identifier: Int, core: SessionCore, backend: any TaskBackend, storage: Storage) {
        taskIdentifier = identifier
        self.core = core
        self.backend = backend
        self.storage = Mutex(storage)
        super.init()
    }

    /// Returns the task itself: copying does not make a second one.
    ///
    /// - Parameter zone: Ignored.
    /// - Returns: The task.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Lets the task run, once it was called one time more often than ``suspend()``.
    ///
    /// Has no effect on a task that runs, or is cancelled or completed.
    open func resume() {
        perform { $0.lifecycle.resume() }
    }

    /// Holds the task back until ``resume()``; calls nest.
    ///
    /// A suspended task causes no traffic, and its time-outs do not run. A download continues later where it was if the
    /// server allows that, and starts over if not. A message that was on its way may still arrive.
    open func suspend() {
        perform { $0.lifecycle.suspend() }
    }

    /// Ends the task.
    ///
    /// Returns at once; the task completes with `URLError.Code.cancelled` a little later, after messages that
    /// were on their way. Works on suspended tasks too. A download's bytes are deleted.
    open func cancel() {
        perform { $0.lifecycle.cancel() }
    }

    /// Changes the stored state and passes the resulting command to the backend, as one step: the backend receives the
    /// commands of several threads in the order in which they took effect.
    func perform(_ input: (inout Storage) -> Lifecycle.Command?) {
        storage.withLock { storage in
            guard let command = input(&storage) else { return }
            backend.perform(command, on: self)
        }
    }

    /// Delivers one message to the app; on the delegate queue.
    func notify(_ message: Delivery.Message, newByteCount: Int64) {}

    // MARK: - What an app may change

    /// A delegate for this task alone.
    ///
    /// Default: nil. Methods that it does not implement are called on the session's delegate. Held strongly until the
    /// task has ended. Has no effect in background sessions, whose tasks outlive it.
    ///
    /// - Precondition: The task was not resumed yet.
    open var delegate: (any URLSessionTaskDelegate)? {
        get { storage.withLock { $0.delegate } }
        set {
            storage.withLock { storage in
                precondition(
                    !storage.lifecycle.wasResumed,
                    "A task's delegate cannot be changed after the task was resumed."
                )
                guard !core.isBackground else {
                    Diagnostics.report("Task delegates are not supported in background sessions.")
                    return
                }
                storage.delegate = newValue
            }
        }
    }

    /// A text for the app's own use.
    ///
    /// Default: nil. In a background session it is stored with the task, also for a relaunched app; use it to record
    /// which download this is.
    open var taskDescription: String? {
        get { storage.withLock { $0.taskDescription } }
        set {
            storage.withLock { storage in
                storage.taskDescription = newValue
                backend.descriptionChanged(to: newValue, of: self)
            }
        }
    }

    /// The task's priority among the session's tasks, from 0 to 1.
    ///
    /// Default: ``defaultPriority``. Values outside the range are clamped. Of the tasks that wait for a connection,
    /// those with the greatest priority come first.
    open var priority: Float {
        get { storage.withLock { $0.priority } }
        set {
            let priority = newValue.isNaN ? Self.defaultPriority : min(max(newValue, 0), 1)
            storage.withLock { storage in
                storage.priority = priority
                backend.priorityChanged(to: priority, of: self)
            }
        }
    }

    /// The date before which the task does not begin.
    ///
    /// Default: nil, for at once. Set it before the task is resumed. It has an effect in background sessions only: the
    /// task begins at that date, or later if it has to wait for its turn. The resource timeout counts from then. When
    /// the date is reached, the delegate is asked by `urlSession(_:task:willBeginDelayedRequest:completionHandler:)`,
    /// for which the app is started if necessary.
    ///
    /// - Note: On Linux, the app may be started for that question even if its delegate does not implement the method,
    ///   because that is not known before the delegate was asked.
    open var earliestBeginDate: Date? {
        get { storage.withLock { $0.earliestBeginDate } }
        set {
            storage.withLock { storage in
                storage.earliestBeginDate = newValue
                backend.earliestBeginDateChanged(to: newValue, of: self)
            }
        }
    }

    /// The options of the task beyond those of Apple's URLSession.
    ///
    /// Default: those of the session's configuration. In a background session they are stored with the task. Changed
    /// rates and conditions take effect at once; other changes after the task was resumed take effect from the next
    /// attempt on.
    open var transferOptions: TransferOptions {
        get { storage.withLock { $0.transferOptions } }
        set {
            storage.withLock { storage in
                guard storage.transferOptions != newValue else { return }
                storage.transferOptions = newValue
                backend.transferOptionsChanged(
                    to: newValue,
                    for: storage.originalRequest,
                    of: self
                )
            }
        }
    }

    /// The maximum number of bytes that the app expects to be sent, headers included.
    ///
    /// Default: `NSURLSessionTransferSizeUnknown`. A hint without effect on Linux.
    open var countOfBytesClientExpectsToSend: Int64 {
        get { storage.withLock { $0.clientExpectsToSendByteCount } }
        set { storage.withLock { $0.clientExpectsToSendByteCount = newValue } }
    }

    /// The maximum number of bytes that the app expects to be received, headers included.
    ///
    /// Default: `NSURLSessionTransferSizeUnknown`. A hint without effect on Linux.
    open var countOfBytesClientExpectsToReceive: Int64 {
        get { storage.withLock { $0.clientExpectsToReceiveByteCount } }
        set { storage.withLock { $0.clientExpectsToReceiveByteCount = newValue } }
    }

    /// Whether parts of the body are delivered as they arrive.
    ///
    /// Default: true. Has no effect on Linux: delegates get the body in parts, completion handlers as a whole.
    open var prefersIncrementalDelivery: Bool {
        get { storage.withLock { $0.prefersIncrementalDelivery } }
        set { storage.withLock { $0.prefersIncrementalDelivery = newValue } }
    }

    /// The progress of the task, which can be part of a tree of progress objects.
    ///
    /// Counts the bytes of the body; indeterminate until its length is known. Cancelling, pausing and resuming
    /// it does the same to the task.
    open var progress: Progress {
        storage.withLock { storage in
            if let progress = storage.progress { return progress }
            let progress = makeProgress(storage)
            storage.progress = progress
            return progress
        }
    }
}

extension URLSessionTask {
    /// The states of a task.
    public enum State: Int, Hashable, Sendable {
        /// Running, or waiting for a connection.
        case running = 0
        /// Suspended, as a new task is.
        case suspended = 1
        /// Cancelled, and about to be completed.
        case canceling = 2
        /// Ended, with or without an error.
        case completed = 3
    }

    /// The ``priority`` of a new task, 0.5.
    public static let defaultPriority: Float = 0.5
    /// A ``priority`` below the default, 0.25.
    public static let lowPriority: Float = 0.25
    /// A ``priority`` above the default, 0.75.
    public static let highPriority: Float = 0.75
}
