import Foundation

/// An attribute computed by the store when it saves. SQLite stores only.
///
/// Accepted expressions: a to-one key path (`author.name`), a function of one (`canonical:(name)`, `uppercase:(name)`,
/// `lowercase:(name)`), a to-many aggregate (`items.@count`, `items.@sum.price`) and `now()`. Adding a store fails for any
/// other expression.
open class NSDerivedAttributeDescription: NSAttributeDescription, @unchecked Sendable {
    /// The expression that computes the value.
    open var derivationExpression: NSExpression? {
        willSet { willEdit() }
        didSet { derivationText = nil }
    }

    /// The expression as written in the model file; nil for expressions created in code.
    final var derivationText: String?

    /// A filter for the objects of an aggregate. Occurs only in models made by Apple's tools.
    final var derivationFilter: String? { willSet { willEdit() } }

    /// The expression as text, which is part of version hashes.
    final var derivation: String { derivationText ?? derivationExpression.map(ModelText.format) ?? "" }

    /// Creates an editable derived attribute without an expression. It is read-only, because the store computes it.
    public override init() {
        super.init()
        isReadOnly = true
    }

    override func makeEmpty() -> NSPropertyDescription { NSDerivedAttributeDescription() }

    override func assign(from other: NSPropertyDescription) {
        super.assign(from: other)
        guard let other = other as? NSDerivedAttributeDescription else { return }
        derivationExpression = other.derivationExpression
        derivationText = other.derivationText
        derivationFilter = other.derivationFilter
    }

    override func isSame(as other: NSPropertyDescription) -> Bool {
        guard let other = other as? NSDerivedAttributeDescription, super.isSame(as: other) else { return false }
        return derivation == other.derivation
    }
}
