import Foundation

/// How an element of a fetch index is kept.
public enum NSFetchIndexElementType: UInt, Sendable {
    /// A b-tree over the value.
    case binary = 0
    /// A spatial index over numbers.
    case rTree = 1
}

/// One column of a fetch index.
open class NSFetchIndexElementDescription: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// How the column is kept.
    open var collationType: NSFetchIndexElementType { willSet { willEdit() } }

    /// Whether the column is sorted upwards. True unless set.
    open var isAscending = true { willSet { willEdit() } }

    final weak var index: NSFetchIndexDescription?
    private final var subject: NSPropertyDescription
    /// The path of an archived element of a composite attribute, until the index is given to an entity.
    private final var archivedPath: String?

    /// An element over a property.
    public init(property: NSPropertyDescription, collationType: NSFetchIndexElementType) {
        subject = property
        self.collationType = collationType
        super.init()
    }

    /// The attribute, to-one relationship or expression the column holds.
    open var property: NSPropertyDescription? { subject }

    /// Name of the property.
    open var propertyName: String? { subject.name }

    /// The property's path from objects of the entity, as of an element of a composite attribute (`address.city`).
    final var propertyPath: String { archivedPath ?? subject.path }

    /// The index the element belongs to.
    open var indexDescription: NSFetchIndexDescription? { index }

    /// Points the element to the property at the same path in a copied entity.
    final func rebind(to property: NSPropertyDescription) {
        subject = property
        archivedPath = nil
    }

    private func willEdit() {
        guard index?.isFrozen == true else { return }
        fatalError("Can't modify an immutable model. Edit a copy, before the model is used by a coordinator.")
    }

    // MARK: NSSecureCoding

    open class var supportsSecureCoding: Bool { true }

    /// The element of an archive; nil, with the error in the coder, if it holds none.
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

    /// Archives the element with its property, in a form of our own.
    open func encode(with coder: NSCoder) { encodeDescription(with: coder) }

    // MARK: NSObject

    /// An editable copy over the same property that belongs to no index.
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

    /// An element over a property without a name.
    public convenience override init() { self.init(property: NSPropertyDescription(), collationType: .binary) }
}
