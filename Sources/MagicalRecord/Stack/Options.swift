import CoreData

private struct Options {
    var autoCreatesModel = true
    var autoCreatesCoordinator = false
    #if DEBUG
    var deletesOnMismatch = true
    #else
    var deletesOnMismatch = false
    #endif
    var batchSize: UInt = 20
}

private let options = Locked(Options())

extension MagicalRecord {
    /// Whether the default model is made from the main bundle's models when it is first asked for. It is, unless told
    /// otherwise.
    @discardableResult
    public class func shouldAutoCreateManagedObjectModel() -> Bool { options.withLock { $0.autoCreatesModel } }

    /// Sets ``shouldAutoCreateManagedObjectModel()``.
    public class func setShouldAutoCreateManagedObjectModel(_ autoCreate: Bool) {
        options.withLock { $0.autoCreatesModel = autoCreate }
    }

    /// Whether a default coordinator is made when it is first asked for. It is not, unless told so.
    @discardableResult
    public class func shouldAutoCreateDefaultPersistentStoreCoordinator() -> Bool {
        options.withLock { $0.autoCreatesCoordinator }
    }

    /// Sets ``shouldAutoCreateDefaultPersistentStoreCoordinator()``.
    public class func setShouldAutoCreateDefaultPersistentStoreCoordinator(_ autoCreate: Bool) {
        options.withLock { $0.autoCreatesCoordinator = autoCreate }
    }

    /// Whether the legacy set-up functions **delete** a store that does not fit the model.
    ///
    /// As in the original they do where the framework was compiled for debugging. The modern
    /// ``setUp(_:shape:migration:model:)-(MagicalRecord.Store,_,_,_)`` never does unless its migration policy says so.
    @discardableResult
    public class func shouldDeleteStoreOnModelMismatch() -> Bool { options.withLock { $0.deletesOnMismatch } }

    /// Sets ``shouldDeleteStoreOnModelMismatch()``.
    public class func setShouldDeleteStoreOnModelMismatch(_ shouldDelete: Bool) {
        options.withLock { $0.deletesOnMismatch = shouldDelete }
    }

    /// How much is written to the log: everything up to debugging where the framework was compiled for debugging,
    /// else errors.
    @discardableResult
    public class func loggingLevel() -> MagicalRecordLoggingLevel { Log.level }

    /// Sets what the framework writes to the log.
    public class func setLoggingLevel(_ level: MagicalRecordLoggingLevel) { Log.level = level }

    static var defaultBatchSize: UInt {
        get { options.withLock { $0.batchSize } }
        set { options.withLock { $0.batchSize = newValue } }
    }
}
