import Foundation

/// An attribute whose value the store computes when it saves. SQLite stores only.
///
/// Accepted expressions: a to-one key path (`author.name`), a function over one (`canonical:(name)`,
/// `uppercase:(name)`, `lowercase:(name)`), a to-many aggregate (`items.@count`, `items.@sum.price`) and `now()`.
/// Any other makes adding a store fail.
open class NSDerivedAttributeDescription: NSAttributeDescription, @unchecked Sendable {
    /// How the value is computed.
    open var derivationExpression: NSExpression? {
        willSet { willEdit() }
        didSet { derivationText = nil }
    }

    /// The expression as the model file spells it; nil for expressions made in code.
    final var derivationText: String?

    /// Limits the objects an aggregate looks at. Only in models made by Apple's tools.
    final var derivationFilter: String? { willSet { willEdit() } }

    /// The expression as text, which is what version hashes are made of.
    final var derivation: String { derivationText ?? derivationExpression.map(ModelText.format) ?? "" }

    /// An editable derived attribute without an expression. It is read-only: the store writes it.
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
