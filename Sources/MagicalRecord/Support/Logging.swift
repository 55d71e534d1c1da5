import CoreData

/// The levels of MagicalRecord's log. Each includes the levels before it.
///
/// Raw values are the original's bit masks: error 1, warn 2, info 4, debug 8, verbose 16.
#if canImport(ObjectiveC)
@objc(MagicalRecordLoggingLevel)
#endif
public enum MagicalRecordLoggingLevel: UInt, Sendable {
    /// Nothing.
    case off = 0
    case error = 1
    case warn = 3
    case info = 7
    case debug = 15
    /// Every save as well. Lower levels do not mention successful saves.
    case verbose = 31
    /// Everything.
    case all = 0xFFFF_FFFF
}

/// The kind of a message. A message is written if its bit is part of the current level.
#if canImport(ObjectiveC)
@objc(MagicalRecordLoggingMask)
#endif
public enum MagicalRecordLoggingMask: UInt, Sendable {
    case error = 1
    case warn = 2
    case info = 4
    case debug = 8
    case verbose = 16
}

/// The log: a level and a sink.
enum Log {
    typealias Sink = @Sendable (MagicalRecordLoggingMask, String) -> Void

    struct State {
        #if DEBUG
        var level = MagicalRecordLoggingLevel.debug
        #else
        var level = MagicalRecordLoggingLevel.error
        #endif
        var sink: Sink = { _, message in NSLog("%@", "MagicalRecord: " + message) }
    }

    static let state = Locked(State())

    static var level: MagicalRecordLoggingLevel {
        get { state.withLock { $0.level } }
        set { state.withLock { $0.level = newValue } }
    }

    static func error(_ message: @autoclosure () -> String) { write(.error, message) }
    static func warn(_ message: @autoclosure () -> String) { write(.warn, message) }
    static func verbose(_ message: @autoclosure () -> String) { write(.verbose, message) }

    /// Writes a message if the level includes its kind; otherwise `message` is not evaluated.
    static func write(_ mask: MagicalRecordLoggingMask, _ message: () -> String) {
        let current = state.withLock { $0 }
        guard current.level.rawValue & mask.rawValue == mask.rawValue else { return }
        current.sink(mask, message())
    }
}

extension MagicalRecord {
    /// Sets a handler for MagicalRecord's log messages, in place of the system log. It may be called from any thread. The level
    /// (``setLoggingLevel(_:)``) applies to it as well.
    public static func setLogHandler(
        _ handler: @escaping @Sendable (_ kind: MagicalRecordLoggingMask, _ message: String) -> Void
    ) {
        Log.state.withLock { $0.sink = handler }
    }
}
