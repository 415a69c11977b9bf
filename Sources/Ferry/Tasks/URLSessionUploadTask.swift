/// A task that sends a body.
///
/// There is no way to make one yet: the type is here for
/// ``URLSession/getTasksWithCompletionHandler(_:)``, which finds none.
open class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {}
