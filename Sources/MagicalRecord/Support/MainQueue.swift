import CoreData

#if canImport(ObjectiveC)
/// Determines whether the current code runs on the main queue.
enum MainQueue {
    private static let key = DispatchSpecificKey<Bool>()
    private static let mark: Void = DispatchQueue.main.setSpecific(key: key, value: true)

    static var isCurrent: Bool {
        _ = mark
        return Thread.isMainThread || DispatchQueue.getSpecific(key: key) == true
    }
}
#else
/// Determines whether the current code runs on the main queue.
///
/// The main queue is not the main thread: in a program with an asynchronous `main`, other threads run the main queue, and the
/// main actor with it.
typealias MainQueue = CoreData.MainQueue
#endif
