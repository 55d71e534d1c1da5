import CoreDataRuntimeSupport
import Foundation

/// An index of an entity's table in SQLite. Not part of version hashes.
open class NSFetchIndexDescription: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// The index's name, unique in its entity.
    open var name: String { willSet { willEdit() } }

    /// The columns, in order. Traps unless all have the same collation type.
    open var elements: [NSFetchIndexElementDescription] {
        willSet { willEdit() }
        didSet { adoptElements() }
    }

    /// The condition of a partial index, which contains only the rows that satisfy it. May use only columns of the entity.
    open var partialIndexPredicate: NSPredicate? { willSet { willEdit() } }

    private final var ownerHandle: WeakHandle<NSEntityDescription>?
    final var owner: NSEntityDescription? {
        get { ownerHandle?.object }
        set { ownerHandle = newValue?.handle }
    }
    final var isFrozen = false

    /// Creates an editable index.
    public init(name: String, elements: [NSFetchIndexElementDescription]?) {
        self.name = name
        self.elements = elements ?? []
        super.init()
        adoptElements()
    }

    /// The entity the index belongs to.
    open var entity: NSEntityDescription? { owner }

    private func adoptElements() {
        guard let first = elements.first else { return }
        precondition(
            elements.allSatisfy { $0.collationType == first.collationType },
            "The fetch index \"\(name)\" mixes collation types. Use one index for each type.")
        for element in elements { element.index = self }
    }

    private func willEdit() {
        guard isFrozen else { return }
        fatalError("Can't modify an immutable model. Edit a copy, before the model is used by a coordinator.")
    }

    // MARK: NSSecureCoding

    /// True: descriptions can be decoded securely.
    open class var supportsSecureCoding: Bool { true }

    /// Reads the index from an archive. Returns nil, and sets the coder's error, if the archive has none. The elements are
    /// resolved to properties when the index is added to an entity.
    public required convenience init?(coder: NSCoder) {
        guard let name = DescriptionCoding.text(DescriptionCoding.name, from: coder),
            let elements = coder.decodeObject(
                of: [NSArray.self, NSFetchIndexElementDescription.self], forKey: DescriptionCoding.elements)
                as? [NSFetchIndexElementDescription],
            elements.allSatisfy({ $0.collationType == elements[0].collationType })
        else {
            coder.failWithError(CocoaError(.coderReadCorrupt))
            return nil
        }
        self.init(name: name, elements: elements)
        let isDecoded = coder.succeeds { coder in
            partialIndexPredicate = try DescriptionCoding.text(DescriptionCoding.predicate, from: coder)
                .map { try ModelText.predicate($0, place: ModelPlace(property: name)) }
        }
        guard isDecoded else { return nil }
    }

    /// Archives the index with its elements in this package's own format.
    open func encode(with coder: NSCoder) { encodeDescription(with: coder) }

    // MARK: NSObject

    /// Returns an editable copy that belongs to no entity.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSFetchIndexDescription(
            name: name, elements: elements.compactMap { $0.copy() as? NSFetchIndexElementDescription })
        copy.partialIndexPredicate = partialIndexPredicate
        return copy
    }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSFetchIndexDescription else { return false }
        return self === other
            || (name == other.name && elements == other.elements
                && partialIndexPredicate == other.partialIndexPredicate)
    }

    open override var hash: Int { name.hashValue }

    open override var description: String {
        "<\(type(of: self))> \(name) (\(elements.map(\.description).joined(separator: ", ")))"
    }

    /// Creates an editable index without name and elements.
    public convenience override init() { self.init(name: "", elements: nil) }
}
