import FerrySystem

/// A request for several tasks with equal requests, each of which gets the whole response.
///
/// Tasks can join until the response arrives. A delegate decides for its own task only: when the first task's delegate
/// is asked anything about the request, or the first task leaves before there is a response, the others continue with
/// requests of their own.
@LoopActor
protocol SharedRequest: AnyObject {
    /// Lets all tasks but the first continue with requests of their own, for example because its delegate is about to be
    /// asked; does nothing if the response has arrived.
    func releaseFollowers()
}
