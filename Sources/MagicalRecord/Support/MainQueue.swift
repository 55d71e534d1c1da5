import CoreData

#if canImport(ObjectiveC)
/// Whether code runs on the main queue.
enum MainQueue {
    private static let key = DispatchSpecificKey<Bool>()
    private static let mark: Void = DispatchQueue.main.setSpecific(key: key, value: true)

    static var isCurrent: Bool {
        _ = mark
        return Thread.isMainThread || DispatchQueue.getSpecific(key: key) == true
    }
}
#else
/// Whether code runs on the main queue.
///
/// That is not the same as the main thread: a program with an asynchronous `main` gives its main thread up, and the main
/// queue, with the main actor on it, is served by other threads.
typealias MainQueue = CoreData.MainQueue
#endif
