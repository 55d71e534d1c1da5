import CoreDataSQLQueries
import CoreDataRowStorage
import PredicateFormat

/// The properties of a fetch that determine its SQL, beside the format of its predicate and its sort descriptors.
struct FetchVariant: Equatable {
    private let request: UInt64
    /// The ``ConstantKind`` of each argument, four bits each.
    private let kinds: UInt64

    private static let maximumArguments = 16

    /// Creates the variant of a fetch; returns nil if it has more than 16 arguments.
    init?(_ fetch: __shared StoreFetch, _ purpose: CompiledFetch.Purpose, _ filled: __shared FilledTemplate) {
        var found: UInt64?
        filled.withArguments { found = Self.kinds($0) }
        guard let kinds = found else { return nil }
        request = UInt64(fetch.layout.number) << 16 | UInt64(fetch.shapeFlags) << 8 | UInt64(purpose.rawValue)
        self.kinds = kinds
    }

    fileprivate var digest: UInt { UInt(truncatingIfNeeded: request &* 0x100_0000_01B3 ^ kinds) }

    private static func kinds(_ arguments: UnsafeBufferPointer<Any?>) -> UInt64? {
        guard arguments.count <= maximumArguments else { return nil }
        var kinds: UInt64 = 0
        guard let base = arguments.baseAddress else { return kinds }
        for index in arguments.indices {
            kinds = kinds << 4 | UInt64(ConstantKind.ofValue(at: base + index).rawValue + 1)
        }
        return kinds
    }
}

/// The constants of a request, in the order of ``ShapeWriter``.
enum FetchConstants {
    case list([Any?])
    /// The arguments that a template was filled with.
    case arguments(FilledTemplate)

    @inline(__always)
    func withUnsafeBufferPointer(_ body: (UnsafeBufferPointer<Any?>) throws -> Void) rethrows {
        switch self {
        case .list(let constants): try constants.withUnsafeBufferPointer(body)
        case .arguments(let filled): try filled.withArguments(body)
        }
    }
}

/// A compiled fetch that is found by the template of its predicate, without building or traversing the predicate's tree.
final class TemplateFetch: KnownFetch {
    /// The template, retained so that no other can reuse its address.
    private let template: PredicateTemplate
    private let variant: FetchVariant
    private let order: [SortKey]
    private let sources: ContiguousArray<ConstantSource>
    /// Whether the constants are the arguments in their order.
    private let takesArguments: Bool

    /// The source of a constant of the tree.
    private enum ConstantSource {
        case argument(Int)
        case fixed(Any?)
    }

    /// Creates the entry; returns nil if the tree's shape depends on more than the kinds of the arguments.
    init?(
        _ template: PredicateTemplate, _ variant: FetchVariant, _ descriptors: [NSSortDescriptor],
        _ compiled: CompiledFetch
    ) {
        guard !template.node.looksIntoConstants else { return nil }
        self.template = template
        self.variant = variant
        order = descriptors.map(\.sortKey)
        var writer = ShapeWriter()
        writer.add(template.node)
        sources = ContiguousArray(
            writer.constants.map { constant in
                (constant as? ArgumentPlace).map { .argument($0.index) } ?? .fixed(constant)
            })
        takesArguments = sources.enumerated().allSatisfy { index, source in
            if case .argument(index) = source { true } else { false }
        }
        super.init(compiled, digest: Self.digest(template, variant, descriptors))
    }

    /// Returns a hash that is equal for equal fetches.
    static func digest(
        _ template: PredicateTemplate, _ variant: FetchVariant, _ descriptors: [NSSortDescriptor]
    ) -> Int {
        var digest = UInt(bitPattern: ObjectIdentifier(template)) >> 4 &* 0x9E37_79B9_7F4A_7C15 ^ variant.digest
        for descriptor in descriptors {
            let key = descriptor.sortKey
            digest = digest &* 31 &+ UInt(key.key?.utf8.count ?? 0) << 1 | (key.ascending ? 1 : 0)
        }
        return Int(bitPattern: digest)
    }

    override func found(
        by template: PredicateTemplate, _ variant: FetchVariant, _ descriptors: [NSSortDescriptor]
    ) -> TemplateFetch? {
        self.template === template && self.variant == variant && isSorted(by: descriptors) ? self : nil
    }

    private func isSorted(by descriptors: [NSSortDescriptor]) -> Bool {
        guard descriptors.count == order.count else { return false }
        for (index, known) in order.enumerated() {
            let wanted = descriptors[index].sortKey
            guard wanted.key == known.key, wanted.ascending == known.ascending else { return false }
            switch (wanted.comparison, known.comparison) {
            case (.natural, .natural): break
            case (.collation(let wanted), .collation(let known)):
                if Collations.name(of: wanted) != Collations.name(of: known) { return false }
            default: return false
            }
        }
        return true
    }

    /// Returns the constants of the tree, in the order of ``ShapeWriter``.
    func constants(_ filled: FilledTemplate) -> FetchConstants {
        if takesArguments { return .arguments(filled) }
        var constants: [Any?] = []
        filled.withArguments { arguments in
            constants = sources.map { source in
                switch source {
                case .argument(let index): arguments[index]
                case .fixed(let value): value
                }
            }
        }
        return .list(constants)
    }
}

extension PredicateNode {
    /// Whether the shape of a request with this tree depends on the values of its constants and not only on their kinds.
    fileprivate var looksIntoConstants: Bool {
        switch self {
        case .constant: false
        case .comparison(let comparison): comparison.left.looksIntoConstants || comparison.right.looksIntoConstants
        case .and(let nodes), .or(let nodes): nodes.contains { $0.looksIntoConstants }
        case .not(let node): node.looksIntoConstants
        case .opaque: true
        }
    }
}

extension ExpressionNode {
    fileprivate var looksIntoConstants: Bool {
        switch self {
        case .constant, .evaluatedObject, .variable: false
        // A key path from a constant is evaluated to a value.
        case .keyPath(_, of: .constant): true
        case .keyPath(_, of: let base): base.looksIntoConstants
        case .function(_, let arguments):
            arguments.contains { $0.looksIntoConstants } || arguments.count == 2 && arguments.contains { $0.isArgument }
        case .aggregate(let elements): elements.contains { $0.looksIntoConstants }
        case .subquery(let collection, variable: _, let predicate):
            collection.looksIntoConstants || predicate.looksIntoConstants
        default: true
        }
    }

    private var isArgument: Bool {
        if case .constant(let value) = self { value is ArgumentPlace } else { false }
    }
}
