import CoreDataRuntimeSupport
import Foundation
import Synchronization

/// A description of an entity: its name, class, properties, and place in the inheritance hierarchy.
///
/// Thread rule: edited on one thread at a time until its model is first used, immutable and readable from any thread
/// after that. Only `userInfo` may be set later; the program must make sure that no other thread reads it meanwhile.
open class NSEntityDescription: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// The entity's name, unique in its model.
    open var name: String? { willSet { willEdit() } }

    /// Whether all objects of the entity are objects of its subentities. False unless set.
    open var isAbstract = false { willSet { willEdit() } }

    /// Annotations for the program's own use, not part of the version hash.
    open var userInfo: [AnyHashable: Any]? = [:]

    /// Text that is hashed along with the entity, to mark changes the model itself does not show.
    open var versionHashModifier: String? { willSet { willEdit() } }

    /// The uniqueness constraints: for each, the names or descriptions of the attributes that must be unique in combination.
    ///
    /// The getter returns names. A constraint applies to the objects of all subentities too. Only SQLite stores enforce
    /// constraints. Part of the version hash.
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

    /// Deprecated by Apple in favor of `indexes`: names or descriptions of properties, a group for each index.
    open var compoundIndexes: [[Any]] {
        get { compoundIndexNames }
        set { compoundIndexNames = newValue.map(Self.propertyNames) }
    }

    private final var modelHandle: WeakHandle<NSManagedObjectModel>?
    final var model: NSManagedObjectModel? {
        get { modelHandle?.object }
        set { modelHandle = newValue?.handle }
    }
    /// The weak reference to this entity that other descriptions use.
    final let handle = WeakHandle<NSEntityDescription>()
    private final var parentHandle: WeakHandle<NSEntityDescription>?
    final var parent: NSEntityDescription? {
        get { parentHandle?.object }
        set { parentHandle = newValue?.handle }
    }
    final var isFrozen = false
    /// The name of an archived entity's superentity, until the entity is added to a model.
    final var unresolvedParentName: String?
    final var storedClassName: String? { willSet { willEdit() } }
    final var storedRenamingIdentifier: String? { willSet { willEdit() } }
    final var constraintNames: [[String]] = [] { willSet { willEdit() } }
    final var compoundIndexNames: [[String]] = [] { willSet { willEdit() } }
    final var spotlightDisplayNameExpression: String? { willSet { willEdit() } }
    /// The properties the entity itself declares, in the order they were set.
    final var ownProperties: [NSPropertyDescription] = []
    final var children: [NSEntityDescription] = []
    final let frozenTables = MadeOnce<EntityTables>()
    /// The lock of ``resolvedClass``.
    final let resolving = Lock()
    @exclusivity(unchecked) final var resolvedClass: ResolvedClass?
    /// The storage for what the object layer derives from a frozen entity. The writer synchronizes access.
    final var layoutStorage: AnyObject?
    /// The entity's number among the entities laid out together. Used only while layouts are built.
    final var layoutNumber = 0

    /// Creates an editable entity without a name.
    public override init() {
        super.init()
        handle.set(self)
    }

    deinit { handle.clear() }

    // MARK: Place in the model

    /// The model the entity belongs to. Traps if there is none or it was released: an entity does not retain its model.
    open var managedObjectModel: NSManagedObjectModel {
        guard let model else {
            fatalError("The entity \"\(name ?? "(null)")\" belongs to no model, or its model has been released.")
        }
        return model
    }

    /// The name of the objects' class: `Module.Class`, `.Class` (in a module of this program) or a bare class name.
    /// `NSManagedObject` unless set, and again after setting nil.
    open var managedObjectClassName: String! {
        get { storedClassName ?? "NSManagedObject" }
        set { storedClassName = newValue }
    }

    /// The parent entity; set through the parent's `subentities`.
    open var superentity: NSEntityDescription? { parent }

    /// The entities that inherit directly from this one. Traps if an entity would become its own ancestor.
    open var subentities: [NSEntityDescription] {
        get { children }
        set {
            willEdit()
            for child in newValue {
                // An entity without subentities cannot be an ancestor.
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

    /// Returns whether the entity is `entity` or inherits from it. Costs one step per level of inheritance.
    open func isKindOf(entity: NSEntityDescription) -> Bool {
        var current: NSEntityDescription? = self
        while let candidate = current {
            if candidate === entity { return true }
            current = candidate.parent
        }
        return false
    }

    // MARK: Properties

    /// All properties, inherited ones first. Setting replaces the properties declared by the entity and ignores inherited ones.
    /// Traps if two declared properties have the same name.
    open var properties: [NSPropertyDescription] {
        get { tables.properties }
        set {
            willEdit()
            let own = newValue.filter { property in
                // A property without an owner, or owned by this entity, is not inherited.
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

    /// Returns the relationships with exactly `entity` as their destination, not a superentity or subentity of it.
    open func relationships(forDestination entity: NSEntityDescription) -> [NSRelationshipDescription] {
        tables.properties.compactMap { property in
            guard let relationship = property as? NSRelationshipDescription,
                relationship.destinationEntity === entity
            else { return nil }
            return relationship
        }
    }

    // MARK: Versions

    /// The name of the entity in the previous version of the model; the current name unless set.
    open var renamingIdentifier: String? {
        get { storedRenamingIdentifier ?? name }
        set { storedRenamingIdentifier = newValue }
    }

    /// The entity's version hash: 32 bytes, the same as computed by Apple's tools.
    open var versionHash: Data { computedVersionHash() }

    // MARK: NSSecureCoding

    /// True: descriptions can be decoded securely.
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

    /// Returns an editable copy with copies of the entity's own properties and indexes. The copy belongs to no model, and has
    /// neither superentity nor subentities.
    ///
    /// The copied relationships keep their destinations. Copy the model to copy all entities together.
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
