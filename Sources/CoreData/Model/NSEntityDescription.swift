import CoreDataRuntimeSupport
import Foundation
import Synchronization

/// What an entity is: its name, class, properties, and place in the inheritance of entities.
///
/// Thread rule: edited on one thread at a time until its model is first used, immutable and readable from any thread
/// after that. `userInfo` alone may be set later; whoever does so sees to it that nobody reads it meanwhile.
open class NSEntityDescription: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// The entity's name, unique in its model.
    open var name: String? { willSet { willEdit() } }

    /// Whether the entity has no objects of its own, only its subentities' objects. False unless set.
    open var isAbstract = false { willSet { willEdit() } }

    /// Free annotation, not part of the version hash.
    open var userInfo: [AnyHashable: Any]? = [:]

    /// Text mixed into the version hash, for changes the model itself does not show.
    open var versionHashModifier: String? { willSet { willEdit() } }

    /// Groups of properties whose values together may occur only once: names, or descriptions of attributes.
    ///
    /// Reading gives names. A constraint holds for the objects of all subentities too. SQLite stores only. Part of
    /// the version hash.
    open var uniquenessConstraints: [[Any]] {
        get { constraintNames }
        set { constraintNames = newValue.map(Self.propertyNames) }
    }

    /// The entity's fetch indexes. Not part of the version hash.
    open var indexes: [NSFetchIndexDescription] = [] {
        willSet { willEdit() }
        didSet {
            for index in oldValue where index.owner === self { index.owner = nil }
            for index in indexes { index.owner = self }
            rebindOwnerlessIndexElements()
        }
    }

    /// Deprecated by Apple in favour of `indexes`: names or descriptions of properties, a group for each index.
    open var compoundIndexes: [[Any]] {
        get { compoundIndexNames }
        set { compoundIndexNames = newValue.map(Self.propertyNames) }
    }

    private final var modelHandle: WeakHandle<NSManagedObjectModel>?
    final var model: NSManagedObjectModel? {
        get { modelHandle?.object }
        set { modelHandle = newValue?.handle }
    }
    /// How others refer to this entity without keeping it alive.
    final let handle = WeakHandle<NSEntityDescription>()
    private final var parentHandle: WeakHandle<NSEntityDescription>?
    final var parent: NSEntityDescription? {
        get { parentHandle?.object }
        set { parentHandle = newValue?.handle }
    }
    final var isFrozen = false
    /// Name of the superentity of an entity from an archive, until it is in a model.
    final var unresolvedParentName: String?
    final var storedClassName: String? { willSet { willEdit() } }
    final var storedRenamingIdentifier: String? { willSet { willEdit() } }
    final var constraintNames: [[String]] = [] { willSet { willEdit() } }
    final var compoundIndexNames: [[String]] = [] { willSet { willEdit() } }
    final var spotlightDisplayNameExpression: String? { willSet { willEdit() } }
    /// Properties the entity itself declares, in the order they were given.
    final var ownProperties: [NSPropertyDescription] = []
    final var children: [NSEntityDescription] = []
    final let frozenTables = MadeOnce<EntityTables>()
    /// What the name of the class was found to mean, and its lock.
    final let resolving = Lock()
    @exclusivity(unchecked) final var resolvedClass: ResolvedClass?
    /// Where the object layer keeps what it derives from a frozen entity. The writer synchronizes access.
    final var layoutStorage: AnyObject?
    /// The entity's number among those laid out with it, for them to find each other while that is done.
    final var layoutNumber = 0

    /// An editable entity without a name.
    public override init() {
        super.init()
        handle.set(self)
    }

    deinit { handle.clear() }

    // MARK: Place in the model

    /// The model the entity belongs to. Traps when it is in none, or the model is gone: an entity does not retain it.
    open var managedObjectModel: NSManagedObjectModel {
        guard let model else {
            fatalError("The entity \"\(name ?? "(null)")\" belongs to no model, or its model has been released.")
        }
        return model
    }

    /// Name of the class of the objects: `Module.Class`, `.Class` (a module of this program) or a class's bare name.
    /// `NSManagedObject` unless set, and again after setting nil.
    open var managedObjectClassName: String! {
        get { storedClassName ?? "NSManagedObject" }
        set { storedClassName = newValue }
    }

    /// The entity this one inherits from; set through the other one's `subentities`.
    open var superentity: NSEntityDescription? { parent }

    /// The entities that inherit directly from this one. An entity that would become its own ancestor traps.
    open var subentities: [NSEntityDescription] {
        get { children }
        set {
            willEdit()
            for child in newValue {
                // One without subentities is no ancestor.
                precondition(
                    child !== self && (child.children.isEmpty || !isKindOf(entity: child)),
                    "\(child.name ?? "(null)") cannot inherit from \(name ?? "(null)"), which inherits from it.")
            }
            for child in children where child.parent === self { child.parent = nil }
            for child in newValue {
                if let parent = child.parent, parent !== self { parent.children.removeAll { $0 === child } }
                child.parent = self
                child.unresolvedParentName = nil
            }
            children = newValue
        }
    }

    /// The direct subentities by name.
    open var subentitiesByName: [String: NSEntityDescription] {
        Dictionary(children.compactMap { child in child.name.map { ($0, child) } }) { first, _ in first }
    }

    /// Whether the entity is the given one or inherits from it.
    open func isKindOf(entity: NSEntityDescription) -> Bool {
        var current: NSEntityDescription? = self
        while let candidate = current {
            if candidate === entity { return true }
            current = candidate.parent
        }
        return false
    }

    // MARK: Properties

    /// All properties, inherited ones first. Setting replaces those the entity itself declares; inherited ones among
    /// the new value are passed over. Two own properties of one name trap.
    open var properties: [NSPropertyDescription] {
        get { tables.properties }
        set {
            willEdit()
            let own = newValue.filter { property in
                // What nobody owns is not inherited, and what this entity owns neither.
                property.owner == nil || property.owner === self || parent?.declared(property.name) !== property
            }
            var names = NameSet(minimumCapacity: own.count)
            for property in own {
                precondition(
                    names.insert(property.name) || property.name.isEmpty,
                    "The entity \"\(name ?? "(null)")\" has two properties named \"\(property.name)\".")
            }
            for property in ownProperties where property.owner === self { property.owner = nil }
            for property in own {
                if let owner = property.owner, owner !== self { owner.ownProperties.removeAll { $0 === property } }
                property.owner = self
            }
            ownProperties = own
        }
    }

    /// All properties by name, inherited ones included.
    open var propertiesByName: [String: NSPropertyDescription] { tables.propertiesByName }

    /// All attributes by name, inherited, derived and composite ones included.
    open var attributesByName: [String: NSAttributeDescription] { tables.attributesByName }

    /// All relationships by name, inherited ones included.
    open var relationshipsByName: [String: NSRelationshipDescription] { tables.relationshipsByName }

    /// The relationships whose destination is exactly that entity.
    open func relationships(forDestination entity: NSEntityDescription) -> [NSRelationshipDescription] {
        tables.properties.compactMap { property in
            guard let relationship = property as? NSRelationshipDescription,
                relationship.destinationEntity === entity
            else { return nil }
            return relationship
        }
    }

    // MARK: Versions

    /// The name the entity had in the previous version of the model; the present name unless set.
    open var renamingIdentifier: String? {
        get { storedRenamingIdentifier ?? name }
        set { storedRenamingIdentifier = newValue }
    }

    /// The entity's version hash: 32 bytes, the same as Apple's tools compute.
    open var versionHash: Data { computedVersionHash() }

    // MARK: NSSecureCoding

    open class var supportsSecureCoding: Bool { true }

    /// Reads the entity from an archive. Returns nil, and sets the coder's error, if the archive has none.
    public required convenience init?(coder: NSCoder) {
        self.init()
        guard coder.succeeds(fill(from:)) else { return nil }
    }

    /// Archives the entity with its properties, indexes and subentities in this package's own format. Other entities are
    /// archived by name, and resolved when the entity is added to a model that has them.
    open func encode(with coder: NSCoder) { encodeDescription(with: coder) }

    // MARK: NSObject

    /// An editable copy of the entity and its own properties and indexes, in no model and without relatives.
    ///
    /// Relationships of the copy lead where those of the original lead. Copy the model to copy all of it.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSEntityDescription()
        copy.assign(from: self)
        return copy
    }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSEntityDescription else { return false }
        return self === other || isSame(as: other)
    }

    open override var hash: Int { name.hashValue }

    open override var description: String {
        let attributes = attributesByName.keys.sorted().joined(separator: ", ")
        let relationships = relationshipsByName.keys.sorted().joined(separator: ", ")
        return "(<NSEntityDescription>) name \(name ?? "(null)"), "
            + "managedObjectClassName \(managedObjectClassName ?? "(null)"), "
            + "renamingIdentifier \(renamingIdentifier ?? "(null)"), isAbstract \(isAbstract ? 1 : 0), "
            + "superentity name \(superentity?.name ?? "(null)"), attributes {\(attributes)}, "
            + "relationships {\(relationships)}, subentities {\(children.compactMap(\.name).joined(separator: ", "))}"
    }
}
