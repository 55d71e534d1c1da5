import Foundation

/// An attribute made of other attributes; its value is a dictionary of theirs. SQLite stores only.
///
/// Replacing the dictionary is the unit of change. Predicates and sort keys reach elements by dotted path
/// (`address.city`).
open class NSCompositeAttributeDescription: NSAttributeDescription, @unchecked Sendable {
    /// The parts; they may be composite in turn.
    open var elements: [NSAttributeDescription] = [] { willSet { willEdit() } }

    /// An editable composite attribute without elements.
    public override init() {
        super.init()
        attributeType = .compositeAttributeType
    }

    /// The attributes that are not composite, elements of elements included, each with its dotted path.
    final var leaves: [(path: String, attribute: NSAttributeDescription)] {
        elements.flatMap { element -> [(path: String, attribute: NSAttributeDescription)] in
            guard let nested = element as? NSCompositeAttributeDescription else {
                return [("\(name).\(element.name)", element)]
            }
            return nested.leaves.map { ("\(name).\($0.path)", $0.attribute) }
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
