import CoreDataRowStorage
import Foundation

/// A container that iCloud synchronizes between a user's devices, on Apple's platforms.
///
/// Here it is an ordinary container: code that declares, creates or casts to one compiles and works with local stores. A
/// description with ``NSPersistentStoreDescription/cloudKitContainerOptions`` is not loaded; the completion handler gets an
/// error.
open class NSPersistentCloudKitContainer: NSPersistentContainer, @unchecked Sendable {
    /// The name of the notification that Apple's framework posts when a setup, import or export begins and ends. Never posted
    /// here.
    public class var eventChangedNotification: Notification.Name {
        Notification.Name("NSPersistentCloudKitContainerEventChangedNotification")
    }

    /// The key of the ``Event`` in the notification's `userInfo`.
    public class var eventNotificationUserInfoKey: String { "event" }

    /// Creates the schema in CloudKit, on Apple's platforms.
    ///
    /// - Throws: `NSPersistentStoreOperationError`, always.
    open func initializeCloudKitSchema(options: NSPersistentCloudKitContainerSchemaInitializationOptions = []) throws {
        throw CloudKitAbsence.error
    }

    /// Returns true: without CloudKit records, every object may be deleted.
    open func canDeleteRecord(forManagedObjectWith objectID: NSManagedObjectID) -> Bool { true }

    /// Returns true: without CloudKit records, every object may be changed.
    open func canUpdateRecord(forManagedObjectWith objectID: NSManagedObjectID) -> Bool { true }

    /// Returns true if objects in the store can be changed: if it is not read-only.
    open func canModifyManagedObjects(in store: NSPersistentStore) -> Bool { !store.isReadOnly }

    /// The kinds of an ``Event``, with Apple's raw values.
    public enum EventType: Int, Sendable {
        case setup = 0
        case `import` = 1
        case export = 2
    }

    /// A setup, import or export of a store by iCloud, on Apple's platforms. There are none here.
    open class Event: NSObject, @unchecked Sendable {
        /// The event's identifier.
        open var identifier: UUID { absent() }
        /// The store's identifier.
        open var storeIdentifier: String { absent() }
        /// The event's kind.
        open var type: EventType { absent() }
        /// The time at which the event began.
        open var startDate: Date { absent() }
        /// The time at which the event ended; nil before that.
        open var endDate: Date? { absent() }
        /// True if the event ended without an error.
        open var succeeded: Bool { absent() }
        /// The error of a failed event.
        open var error: (any Error)? { absent() }

        private override init() { super.init() }

        private func absent() -> Never { fatalError("Off Apple's platforms there are no events of CloudKit.") }
    }
}

/// The options for creating a schema in CloudKit, on Apple's platforms.
public struct NSPersistentCloudKitContainerSchemaInitializationOptions: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Validates the model without creating the schema.
    public static let dryRun = Self(rawValue: 1 << 1)
    /// Prints the schema.
    public static let printSchema = Self(rawValue: 1 << 2)
}

/// The CloudKit container that a store belongs to, on Apple's platforms.
open class NSPersistentCloudKitContainerOptions: NSObject {
    /// The container's identifier.
    public let containerIdentifier: String

    /// Creates the options for a container.
    public init(containerIdentifier: String) {
        self.containerIdentifier = containerIdentifier
        super.init()
    }
}

enum CloudKitAbsence {
    /// The error of operations that need CloudKit.
    static var error: NSError {
        CoreDataError.make(
            NSPersistentStoreOperationError, description: "The store cannot be kept in CloudKit.",
            reason: "CloudKit exists on Apple's platforms only.",
            advice: "Leave cloudKitContainerOptions out off Apple's platforms (#if canImport(CloudKit)).")
    }
}
