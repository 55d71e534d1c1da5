import CoreDataRuntimeSupport
import Foundation

/// The effect of deleting an object on the objects at the other end of a relationship.
public enum NSDeleteRule: UInt, Sendable {
    /// No effect: the inverse continues to refer to the deleted object.
    case noActionDeleteRule = 0
    /// The object is removed from the destination's inverse.
    case nullifyDeleteRule = 1
    /// The destination is deleted too.
    case cascadeDeleteRule = 2
    /// Saving the deletion fails while the relationship is not empty.
    case denyDeleteRule = 3
}

/// A relationship to objects of another entity, or of the same.
open class NSRelationshipDescription: NSPropertyDescription, @unchecked Sendable {
    /// The entity at the other end; objects may be of any of its subentities. Not retained.
    ///
    /// A copy refers to the entity of the same name in its model, or to the original's destination if there is none.
    open var destinationEntity: NSEntityDescription? {
        get { copied?.destination == nil ? destinationHandle?.object : copiedDestination }
        set {
            willEdit()
            destinationHandle = newValue?.handle
            unresolved = nil
            copied?.destination = nil
        }
    }
    private final var destinationHandle: WeakHandle<NSEntityDescription>?

    /// The names of the original's destination and inverse in a copy, until the copy's model is frozen: the original may be
    /// deallocated by then.
    private final var copied: (destination: String?, inverse: String?)?

    /// The names of the destination and inverse if they are not available: for relationships from archives, until they are in a
    /// model.
    final var unresolved: (destination: String, inverse: String?)? { willSet { willEdit() } }

    /// The destination's name, even if the destination is not available.
    final var destinationName: String? { destinationEntity?.name ?? unresolved?.destination ?? copied?.destination }

    /// The inverse's name, even if the inverse is not available.
    final var inverseName: String? { inverseRelationship?.name ?? unresolved?.inverse ?? copied?.inverse }

    /// Resolves the names of destination and inverse by looking up entities.
    final func resolveNames(_ find: (String) -> NSEntityDescription?) {
        guard let names = unresolved, let destination = find(names.destination) else { return }
        destinationEntity = destination
        inverseRelationship = names.inverse.flatMap { destination.relationshipsByName[$0] }
    }

    /// The inverse relationship, which must be set on both sides. Not retained.
    ///
    /// A copy refers to its destination's relationship with the name of the original's inverse, which may be deallocated.
    open var inverseRelationship: NSRelationshipDescription? {
        get { copied?.inverse == nil ? storedInverse : copiedInverse }
        set {
            willEdit()
            storedInverse = newValue
            copied?.inverse = nil
        }
    }
    private final weak var storedInverse: NSRelationshipDescription?

    private final var copiedDestination: NSEntityDescription? {
        let original = destinationHandle?.object
        guard let model = owner?.model, original?.model !== model else { return original }
        return (original?.name ?? copied?.destination).flatMap(model.entity(named:)) ?? original
    }

    private final var copiedInverse: NSRelationshipDescription? {
        let original = storedInverse
        if let place = original?.owner, place.model === owner?.model { return original }
        let name = original?.name ?? copied?.inverse ?? ""
        return destinationEntity?.declared(name) as? NSRelationshipDescription ?? original
    }

    /// Stores the copy's destination and inverse, which no longer change because the model is frozen.
    override func freeze() {
        if copied != nil {
            let (destination, inverse) = (destinationEntity, inverseRelationship)
            copied = nil
            destinationHandle = destination?.handle
            storedInverse = inverse
        }
        super.freeze()
    }

    /// The maximum number of objects; 0 means no limit, 1 makes a to-one relationship. 0 unless set.
    open var maxCount = 0 { willSet { willEdit() } }

    /// The minimum number of objects in a relationship that is not empty. 0 unless set.
    open var minCount = 0 { willSet { willEdit() } }

    /// Whether a to-many relationship preserves the order of its objects.
    open var isOrdered = false { willSet { willEdit() } }

    /// The effect of a deletion on the other end. Nullify unless set. Not part of the version hash.
    open var deleteRule = NSDeleteRule.nullifyDeleteRule { willSet { willEdit() } }

    /// Whether `maxCount` allows more than one object.
    open var isToMany: Bool { maxCount != 1 }

    override func makeEmpty() -> NSPropertyDescription { NSRelationshipDescription() }

    override func assign(from other: NSPropertyDescription) {
        super.assign(from: other)
        guard let other = other as? NSRelationshipDescription else { return }
        destinationEntity = other.destinationEntity
        unresolved = other.unresolved
        inverseRelationship = other.inverseRelationship
        copied = (other.destinationName, other.inverseName)
        maxCount = other.maxCount
        minCount = other.minCount
        isOrdered = other.isOrdered
        deleteRule = other.deleteRule
    }

    override func isSame(as other: NSPropertyDescription) -> Bool {
        guard let other = other as? NSRelationshipDescription, super.isSame(as: other) else { return false }
        return destinationName == other.destinationName && inverseName == other.inverseName
            && maxCount == other.maxCount
            && minCount == other.minCount && isOrdered == other.isOrdered && deleteRule == other.deleteRule
    }

    open override var description: String {
        super.description + ", destination entity \(destinationEntity?.name ?? "(null)"), "
            + "inverseRelationship \(inverseRelationship?.name ?? "(null)"), minCount \(minCount), "
            + "maxCount \(maxCount), isOrdered \(isOrdered ? 1 : 0), deleteRule \(deleteRule.rawValue)"
    }
}
