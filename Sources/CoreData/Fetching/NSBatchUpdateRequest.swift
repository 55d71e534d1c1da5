import Foundation

/// The kind of result of a batch update. Raw values are Apple's.
public enum NSBatchUpdateRequestResultType: UInt, Sendable {
    /// The success of the request: a `Bool`.
    case statusOnlyResultType = 0
    /// The IDs of the updated objects: `[NSManagedObjectID]`.
    case updatedObjectIDsResultType = 1
    /// The number of updated objects: an `Int`.
    case updatedObjectsCountResultType = 2
}

/// A request to update many rows in one statement, without managed objects, validation or notifications.
///
/// SQLite stores only. Contexts are not updated: merge the changes with
/// ``NSManagedObjectContext/mergeChanges(fromRemoteContextSave:into:)``.
open class NSBatchUpdateRequest: NSPersistentStoreRequest {
    /// The condition that rows must satisfy; nil for all rows of the entity.
    open var predicate: NSPredicate?

    /// Whether rows of subentities are updated too. True by default.
    open var includesSubentities = true

    /// The new values, by name or description of an attribute or to-one relationship.
    ///
    /// A value is a constant, an object or object ID for a relationship, `NSNull`, or an expression evaluated for each row.
    open var propertiesToUpdate: [AnyHashable: Any]?

    /// The kind of result; the status by default.
    open var resultType = NSBatchUpdateRequestResultType.statusOnlyResultType

    open override var requestType: NSPersistentStoreRequestType { .batchUpdateRequestType }

    final var target: BatchEntity

    /// The name of the entity to update.
    open var entityName: String { target.name }

    /// The entity. Reading it traps if the request was created with a name and has not been executed.
    open var entity: NSEntityDescription {
        guard let entity = target.entity else {
            fatalError(
                "This batch update was created with a string name (\(target.name)), and cannot respond to -entity "
                    + "until used by an NSManagedObjectContext.")
        }
        return entity
    }

    /// Creates a request to update objects of an entity; its name is looked up when the request is executed.
    public init(entityName: String) {
        target = BatchEntity(name: entityName)
        super.init()
    }

    /// Creates a request to update objects of an entity.
    public init(entity: NSEntityDescription) {
        target = BatchEntity(entity)
        super.init()
    }

    override func makeEmpty() -> NSPersistentStoreRequest { NSBatchUpdateRequest(entityName: target.name) }

    override func assign(from other: NSPersistentStoreRequest) {
        super.assign(from: other)
        guard let other = other as? NSBatchUpdateRequest else { return }
        target = other.target
        predicate = other.predicate
        includesSubentities = other.includesSubentities
        propertiesToUpdate = other.propertiesToUpdate
        resultType = other.resultType
    }

    /// Creates a request without an entity, for code written against Objective-C's `init`.
    public convenience override init() { self.init(entityName: "") }
}
