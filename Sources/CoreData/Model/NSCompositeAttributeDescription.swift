import Foundation

/// An attribute composed of other attributes; its value is a dictionary of their values. SQLite stores only.
///
/// Elements are read and set by dotted key paths (`address.city`), which predicates, sort keys, dictionary results, indexes,
/// constraints and batch requests also accept. Uniqueness constraints and indexes also accept the description of an element.
open class NSCompositeAttributeDescription: NSAttributeDescription, @unchecked Sendable {
    /// The elements, which may be composite attributes, too.
    open var elements: [NSAttributeDescription] = [] {
        willSet { willEdit() }
        didSet {
            for element in oldValue where element.composite === self { element.composite = nil }
            for element in elements { element.composite = self }
        }
    }

    /// Creates an editable composite attribute without elements.
    public override init() {
        super.init()
        attributeType = .compositeAttributeType
    }

    /// The attributes that are not composite, including elements of elements, each with its dotted path.
    final var leaves: [(path: String, attribute: NSAttributeDescription)] {
        elements.flatMap { element -> [(path: String, attribute: NSAttributeDescription)] in
            guard let nested = element as? NSCompositeAttributeDescription else {
                return [("\(name).\(element.name)", element)]
            }
            return nested.leaves.map { ("\(name).\($0.path)", $0.attribute) }
        }
    }

    /// Returns the element at a path below this attribute.
    final func element(at path: some Collection<String>) -> NSAttributeDescription? {
        guard let name = path.first, let element = elements.first(where: { $0.name == name }) else { return nil }
        let rest = path.dropFirst()
        return rest.isEmpty ? element : (element as? NSCompositeAttributeDescription)?.element(at: rest)
    }

    /// Whether the model requires a value for any element or restricts its values.
    final var hasRules: Bool {
        elements.contains { element in
            !element.isOptional || !element.validationPredicates.isEmpty
                || (element as? NSCompositeAttributeDescription)?.hasRules == true
        }
    }

    override func makeEmpty() -> NSPropertyDescription { NSCompositeAttributeDescription() }

    override func assign(from other: NSPropertyDescription) {
        super.assign(from: other)
        guard let other = other as? NSCompositeAttributeDescription else { return }
        elements = other.elements.compactMap { $0.copy() as? NSAttributeDescription }
    }

    override func isSame(as other: NSPropertyDescription) -> Bool {
        guard let other = other as? NSCompositeAttributeDescription, super.isSame(as: other) else { return false }
        return elements == other.elements
    }
}
