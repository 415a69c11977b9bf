/// A task that hands over the body of a response as it arrives.
///
/// There is no way to make one yet: the type is here for
/// ``URLSession/getTasksWithCompletionHandler(_:)``, which finds none.
open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}
