import CoreDataRuntimeSupport
import Foundation

/// The common base of attributes, relationships, fetched properties and expressions: a name, whether a value is
/// required, and how values are validated.
///
/// Thread rule of all description classes: edited on one thread at a time until the model is first used, immutable
/// and readable from any thread after that. Editing later traps, as in Apple's framework; a copy is editable.
open class NSPropertyDescription: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// The property's name, which is also its key in key-value coding.
    open var name = "" { willSet { willEdit() } }

    /// Whether nil is allowed when the object is saved. True unless set.
    open var isOptional = true { willSet { willEdit() } }

    /// Whether the store does not save the property. Transient properties still take part in undo, change tracking
    /// and validation.
    open var isTransient = false { willSet { willEdit() } }

    /// Annotations for the program's own use, not part of the version hash. Empty unless set.
    open var userInfo: [AnyHashable: Any]? = [:]

    /// Text that is hashed along with the property, to mark changes the model itself does not show.
    open var versionHashModifier: String? { willSet { willEdit() } }

    /// Deprecated by Apple in favor of `NSEntityDescription.indexes`; still makes a one-column index.
    open var isIndexed = false { willSet { willEdit() } }

    /// Whether Spotlight indexes the property. Stored in the model; no effect off Apple's platforms.
    open var isIndexedBySpotlight = false { willSet { willEdit() } }

    /// Deprecated by Apple. Stored in the model; no effect.
    open var isStoredInExternalRecord = false { willSet { willEdit() } }

    /// Whether the property cannot be set, as fetched properties cannot. Part of the version hash.
    final var isReadOnly = false { willSet { willEdit() } }

    private final var ownerHandle: WeakHandle<NSEntityDescription>?
    final var owner: NSEntityDescription? {
        get { ownerHandle?.object }
        set { ownerHandle = newValue?.handle }
    }
    /// The key path from objects of the entity: the name, or that of an element of a composite attribute (`address.city`).
    final var path: String {
        guard let composite = (self as? NSAttributeDescription)?.composite else { return name }
        return "\(composite.path).\(name)"
    }
    final var isFrozen = false
    final var storedRenamingIdentifier: String? { willSet { willEdit() } }
    final var validation = PropertyValidation() { willSet { willEdit() } }

    /// Creates an editable description without a name.
    public override init() {
        super.init()
    }

    /// The entity that declares the property. Traps if there is none.
    open var entity: NSEntityDescription {
        guard let owner else {
            fatalError("The property \"\(name)\" belongs to no entity. Put it into an entity's properties first.")
        }
        return owner
    }

    /// The name of the property in the previous version of the model; the current name unless set.
    open var renamingIdentifier: String? {
        get { storedRenamingIdentifier ?? name }
        set { storedRenamingIdentifier = newValue }
    }

    /// The predicates that a value must satisfy in validation; `SELF` is the value.
    open var validationPredicates: [NSPredicate] { validation.predicates }

    /// The message (`String`) or error code (`NSNumber`) to report for each validation predicate.
    open var validationWarnings: [Any] { validation.warnings }

    /// Sets the validation predicates and, for each of them, the message to report.
    ///
    /// Traps if the counts differ.
    open func setValidationPredicates(
        _ validationPredicates: [NSPredicate]?,
        withValidationWarnings validationWarnings: [String]?
    ) {
        let predicates = validationPredicates ?? []
        let warnings = validationWarnings ?? []
        precondition(
            predicates.count == warnings.count,
            "Each validation predicate needs one warning: \(predicates.count) predicates, \(warnings.count) warnings.")
        validation = PropertyValidation(predicates: predicates, warnings: warnings)
    }

    /// The property's version hash: 32 bytes.
    open var versionHash: Data { computedVersionHash() }

    // MARK: Internal interface

    /// Creates an empty description of the same class.
    func makeEmpty() -> NSPropertyDescription { NSPropertyDescription() }

    /// Copies all settings except the owner. References to other descriptions are not changed.
    func assign(from other: NSPropertyDescription) {
        name = other.name
        isOptional = other.isOptional
        isTransient = other.isTransient
        userInfo = other.userInfo
        versionHashModifier = other.versionHashModifier
        isIndexed = other.isIndexed
        isIndexedBySpotlight = other.isIndexedBySpotlight
        isStoredInExternalRecord = other.isStoredInExternalRecord
        isReadOnly = other.isReadOnly
        storedRenamingIdentifier = other.storedRenamingIdentifier
        validation = other.validation
    }

    /// Returns whether two descriptions of the same class have the same settings.
    func isSame(as other: NSPropertyDescription) -> Bool {
        name == other.name && isOptional == other.isOptional && isTransient == other.isTransient
            && isReadOnly == other.isReadOnly && versionHashModifier == other.versionHashModifier
            && renamingIdentifier == other.renamingIdentifier && owner?.name == other.owner?.name
    }

    /// Makes the property immutable, with the elements of a composite attribute.
    func freeze() {
        isFrozen = true
        (self as? NSCompositeAttributeDescription)?.elements.forEach { $0.freeze() }
        (self as? NSFetchedPropertyDescription)?.fetchRequest?.isFrozen = true
    }

    final func willEdit() {
        guard isFrozen else {
            owner?.model?.forgetHashes()
            return
        }
        fatalError("Can't modify an immutable model. Edit a copy, before the model is used by a coordinator.")
    }

    // MARK: NSSecureCoding

    /// True: descriptions can be decoded securely.
    open class var supportsSecureCoding: Bool { true }

    /// Reads the property from an archive. Returns nil, and sets the coder's error, if the archive has none.
    public required convenience init?(coder: NSCoder) {
        self.init()
        guard coder.succeeds(fill(from:)) else { return nil }
    }

    /// Archives the property in this package's own format. Destinations and inverses are archived by name, and resolved
    /// when an entity with the property is added to a model.
    open func encode(with coder: NSCoder) { encodeDescription(with: coder) }

    // MARK: NSObject

    /// Returns an editable copy that belongs to no entity.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = makeEmpty()
        copy.assign(from: self)
        return copy
    }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPropertyDescription else { return false }
        return self === other || (type(of: self) == type(of: other) && isSame(as: other))
    }

    open override var hash: Int { name.hashValue }

    open override var description: String {
        "(<\(type(of: self))>), name \(name), isOptional \(isOptional ? 1 : 0), isTransient \(isTransient ? 1 : 0), "
            + "entity \(owner?.name ?? "(null)"), renamingIdentifier \(renamingIdentifier ?? "(null)")"
    }
}

/// The validation predicates of a property, and the messages or codes to report.
struct PropertyValidation {
    var predicates: [NSPredicate] = []
    /// `String` messages or `NSNumber` codes, parallel to `predicates`.
    var warnings: [Any] = []
}
