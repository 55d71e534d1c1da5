#if !(os(macOS) || os(iOS))
import CoreData

// The original's functions for iCloud, where there is none: the compiler says what to use instead.

/// The body of all of them, which no compiler lets anything call.
func noICloud() -> Never { preconditionFailure("There is no document storage in iCloud on this platform.") }

extension MagicalRecord {
    @available(
        *, unavailable,
        message: "There is no document storage in iCloud here; use setUp(_:), or setupCoreDataStack(withStoreNamed:)"
    )
    public static func setupCoreDataStackWithiCloudContainer(
        _ containerID: String, contentNameKey: String? = nil, localStoreNamed localStoreName: String,
        cloudStorePathComponent pathSubcomponent: String? = nil, completion: (@Sendable () -> Void)? = nil
    ) { noICloud() }

    @available(
        *, unavailable,
        message: "There is no document storage in iCloud here; use setUp(_:), or setupCoreDataStackWithStore(at:)"
    )
    public static func setupCoreDataStackWithiCloudContainer(
        _ containerID: String, contentNameKey: String? = nil, localStoreAt storeURL: URL,
        cloudStorePathComponent pathSubcomponent: String? = nil, completion: (@Sendable () -> Void)? = nil
    ) { noICloud() }
}

extension NSPersistentStoreCoordinator {
    @available(
        *, unavailable,
        message: "There is no document storage in iCloud here; use mr_coordinator(withSqliteStoreNamed:)"
    )
    public class func mr_coordinatorWithiCloudContainerID(
        _ containerID: String, contentNameKey: String?, localStoreNamed localStoreName: String,
        cloudStorePathComponent subPathComponent: String?, completion: (@Sendable () -> Void)? = nil
    ) -> NSPersistentStoreCoordinator { noICloud() }

    @available(
        *, unavailable,
        message: "There is no document storage in iCloud here; use mr_coordinatorWithSqliteStore(at:)"
    )
    public class func mr_coordinatorWithiCloudContainerID(
        _ containerID: String, contentNameKey: String?, localStoreAt storeURL: URL,
        cloudStorePathComponent subPathComponent: String?, completion: (@Sendable () -> Void)? = nil
    ) -> NSPersistentStoreCoordinator { noICloud() }

    @available(
        *, unavailable,
        message: "There is no document storage in iCloud here; use mr_addSqliteStoreNamed(_:withOptions:)"
    )
    public func mr_addiCloudContainerID(
        _ containerID: String, contentNameKey: String?, localStoreNamed localStoreName: String,
        cloudStorePathComponent subPathComponent: String?, completion: (@Sendable () -> Void)? = nil
    ) { noICloud() }

    @available(
        *, unavailable,
        message: "There is no document storage in iCloud here; use mr_addSqliteStoreNamed(_:withOptions:)"
    )
    public func mr_addiCloudContainerID(
        _ containerID: String, contentNameKey: String?, localStoreAt storeURL: URL,
        cloudStorePathComponent subPathComponent: String?, completion: (@Sendable () -> Void)? = nil
    ) { noICloud() }
}

extension NSManagedObjectContext {
    @available(
        *, unavailable,
        message: "There is no document storage in iCloud here; a stack keeps its contexts in step by itself"
    )
    public func mr_observeiCloudChanges(in coordinator: NSPersistentStoreCoordinator) { noICloud() }

    @available(
        *, unavailable,
        message: "There is no document storage in iCloud here; a stack keeps its contexts in step by itself"
    )
    public func mr_stopObservingiCloudChanges(in coordinator: NSPersistentStoreCoordinator) { noICloud() }
}
#endif
