import Foundation

/// What a batch update gives. Raw values are Apple's.
public enum NSBatchUpdateRequestResultType: UInt, Sendable {
    /// Whether it succeeded: `Bool`.
    case statusOnlyResultType = 0
    /// The IDs of the updated objects: `[NSManagedObjectID]`.
    case updatedObjectIDsResultType = 1
    /// Their number: `Int`.
    case updatedObjectsCountResultType = 2
}

/// A request to update many rows in one statement, without managed objects, validation or notifications.
///
/// SQLite stores only. Contexts learn of the changes through `NSManagedObjectContext.mergeChanges(fromRemoteContextSave:into:)`.
open class NSBatchUpdateRequest: NSPersistentStoreRequest {
    /// Which rows to update; nil means all of the entity.
    open var predicate: NSPredicate?

    /// Whether rows of subentities are updated too. True unless set.
    open var includesSubentities = true

    /// New values by name or description of attribute or to-one relationship.
    ///
    /// A value is a constant, an object or object ID for a relationship, `NSNull`, or an expression over the row.
    open var propertiesToUpdate: [AnyHashable: Any]?

    /// What executing the request gives; the status unless set.
    open var resultType = NSBatchUpdateRequestResultType.statusOnlyResultType

    open override var requestType: NSPersistentStoreRequestType { .batchUpdateRequestType }

    final var target: BatchEntity

    /// Name of the entity to update.
    open var entityName: String { target.name }

    /// The entity. Reading it traps while a request made with a name has not been executed.
    open var entity: NSEntityDescription {
        guard let entity = target.entity else {
            fatalError(
                "This batch update was created with a string name (\(target.name)), and cannot respond to -entity "
                    + "until used by an NSManagedObjectContext.")
        }
        return entity
    }

    /// A request to update objects of the entity of that name.
    public init(entityName: String) {
        target = BatchEntity(name: entityName)
        super.init()
    }

    /// A request to update objects of the entity.
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

    /// A request without an entity, for code written against Objective-C's `init`.
    public convenience override init() { self.init(entityName: "") }
}
