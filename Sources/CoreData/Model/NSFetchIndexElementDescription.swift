import Foundation

/// The kind of index structure for an element of a fetch index.
public enum NSFetchIndexElementType: UInt, Sendable {
    /// A b-tree over the value.
    case binary = 0
    /// A spatial index over numbers.
    case rTree = 1
}

/// One column of a fetch index.
open class NSFetchIndexElementDescription: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// The kind of index structure for the column.
    open var collationType: NSFetchIndexElementType { willSet { willEdit() } }

    /// Whether the column is sorted in ascending order. True unless set.
    open var isAscending = true { willSet { willEdit() } }

    final weak var index: NSFetchIndexDescription?
    private final var subject: NSPropertyDescription
    /// The path of an archived element of a composite attribute, until the index is added to an entity.
    private final var archivedPath: String?

    /// Creates an element for a property.
    public init(property: NSPropertyDescription, collationType: NSFetchIndexElementType) {
        subject = property
        self.collationType = collationType
        super.init()
    }

    /// The indexed attribute, to-one relationship or expression.
    open var property: NSPropertyDescription? { subject }

    /// The name of the property.
    open var propertyName: String? { subject.name }

    /// The property's path from objects of the entity, as of an element of a composite attribute (`address.city`).
    final var propertyPath: String { archivedPath ?? subject.path }

    /// The index the element belongs to.
    open var indexDescription: NSFetchIndexDescription? { index }

    /// Replaces the property by the one at the same path in a copied entity.
    final func rebind(to property: NSPropertyDescription) {
        subject = property
        archivedPath = nil
    }

    private func willEdit() {
        guard index?.isFrozen == true else { return }
        fatalError("Can't modify an immutable model. Edit a copy, before the model is used by a coordinator.")
    }

    // MARK: NSSecureCoding

    /// True: descriptions can be decoded securely.
    open class var supportsSecureCoding: Bool { true }

    /// Reads the element from an archive. Returns nil, and sets the coder's error, if the archive has none.
    public required convenience init?(coder: NSCoder) {
        guard let property = Self.property(from: coder),
            let type = UInt(exactly: coder.decodeInt64(forKey: DescriptionCoding.collation))
                .flatMap(NSFetchIndexElementType.init)
        else {
            coder.failWithError(CocoaError(.coderReadCorrupt))
            return nil
        }
        self.init(property: property, collationType: type)
        archivedPath = DescriptionCoding.text(DescriptionCoding.path, from: coder)
        isAscending = coder.decodeBool(forKey: DescriptionCoding.ascending)
    }

    /// Archives the element with its property in this package's own format.
    open func encode(with coder: NSCoder) { encodeDescription(with: coder) }

    // MARK: NSObject

    /// Returns an editable copy for the same property that belongs to no index.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSFetchIndexElementDescription(property: subject, collationType: collationType)
        copy.isAscending = isAscending
        copy.archivedPath = archivedPath
        return copy
    }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSFetchIndexElementDescription else { return false }
        return self === other
            || (propertyPath == other.propertyPath && collationType == other.collationType
                && isAscending == other.isAscending)
    }

    open override var hash: Int { propertyPath.hashValue }

    open override var description: String {
        "\(propertyPath) \(isAscending ? "ascending" : "descending")"
    }

    /// Creates an element for a property without a name.
    public convenience override init() { self.init(property: NSPropertyDescription(), collationType: .binary) }
}
