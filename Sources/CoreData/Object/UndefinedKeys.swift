import Foundation

/// A collector of undefined keys, where they are an error instead of a trap.
final class UndefinedKeys {
    private(set) var first: (key: String, entity: String)?

    func note(_ key: String, of entity: NSEntityDescription) { note(key, of: entity.name ?? "?") }

    func note(_ key: String, of entity: String) {
        if first == nil { first = (key, entity) }
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// The collector of the current thread.
    static var current: UndefinedKeys? {
        pthread_getspecific(key).map { Unmanaged<UndefinedKeys>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Runs `body` with a collector for the current thread, and returns the first key it recorded.
    static func collect<T>(_ body: () -> T) -> (result: T, undefined: (key: String, entity: String)?) {
        let (collector, outer) = (UndefinedKeys(), pthread_getspecific(key))
        pthread_setspecific(key, Unmanaged.passUnretained(collector).toOpaque())
        let result = body()
        pthread_setspecific(key, outer)
        return withExtendedLifetime(collector) { (result, collector.first) }
    }
}
