import CoreDataRowStorage
import Foundation

/// A container whose stores iCloud keeps alike on a user's devices, on Apple's platforms.
///
/// Here it is a container like any other: code that declares, makes or asks for one compiles and works on local stores. A
/// description with ``NSPersistentStoreDescription/cloudKitContainerOptions`` is not loaded: the handler gets an error.
open class NSPersistentCloudKitContainer: NSPersistentContainer, @unchecked Sendable {
    /// Posted at Apple when a set-up, import or export begins and ends. Never posted here.
    public class var eventChangedNotification: Notification.Name {
        Notification.Name("NSPersistentCloudKitContainerEventChangedNotification")
    }

    /// The key of the ``Event`` in the notification's `userInfo`.
    public class var eventNotificationUserInfoKey: String { "event" }

    /// Makes the schema in CloudKit, at Apple.
    ///
    /// - Throws: `NSPersistentStoreOperationError`, always.
    open func initializeCloudKitSchema(options: NSPersistentCloudKitContainerSchemaInitializationOptions = []) throws {
        throw CloudKitAbsence.error
    }

    /// Returns true: an object can be deleted as far as CloudKit is concerned, since no store here has records.
    open func canDeleteRecord(forManagedObjectWith objectID: NSManagedObjectID) -> Bool { true }

    /// Returns true: an object can be changed as far as CloudKit is concerned, since no store here has records.
    open func canUpdateRecord(forManagedObjectWith objectID: NSManagedObjectID) -> Bool { true }

    /// Returns true for a store whose objects can be changed: one that is not read-only.
    open func canModifyManagedObjects(in store: NSPersistentStore) -> Bool { !store.isReadOnly }

    /// The kinds of an ``Event``, with Apple's raw values.
    public enum EventType: Int, Sendable {
        case setup = 0
        case `import` = 1
        case export = 2
    }

    /// A set-up, import or export of a store by iCloud, on Apple's platforms. There are none here.
    open class Event: NSObject, @unchecked Sendable {
        /// The event's identifier.
        open var identifier: UUID { absent() }
        /// The store's identifier.
        open var storeIdentifier: String { absent() }
        /// The event's kind.
        open var type: EventType { absent() }
        /// When it began.
        open var startDate: Date { absent() }
        /// When it ended; nil before.
        open var endDate: Date? { absent() }
        /// True for an event that ended without an error.
        open var succeeded: Bool { absent() }
        /// Why it failed.
        open var error: (any Error)? { absent() }

        private override init() { super.init() }

        private func absent() -> Never { fatalError("Off Apple's platforms there are no events of CloudKit.") }
    }
}

/// Options for making a schema in CloudKit, on Apple's platforms.
public struct NSPersistentCloudKitContainerSchemaInitializationOptions: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Checks the model, and makes nothing.
    public static let dryRun = Self(rawValue: 1 << 1)
    /// Prints what is made.
    public static let printSchema = Self(rawValue: 1 << 2)
}

/// The CloudKit container that a store belongs to, at Apple.
open class NSPersistentCloudKitContainerOptions: NSObject {
    /// The container's identifier.
    public let containerIdentifier: String

    /// The options for a container.
    public init(containerIdentifier: String) {
        self.containerIdentifier = containerIdentifier
        super.init()
    }
}

enum CloudKitAbsence {
    /// The error for what cannot be done without CloudKit.
    static var error: NSError {
        CoreDataError.make(
            NSPersistentStoreOperationError, description: "The store cannot be kept in CloudKit.",
            reason: "CloudKit exists on Apple's platforms only.",
            advice: "Leave cloudKitContainerOptions out off Apple's platforms (#if canImport(CloudKit)).")
    }
}
