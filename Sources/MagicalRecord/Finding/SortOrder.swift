import CoreData

extension MagicalRecord {
    /// The order of a result: one key, or several of which each decides between objects equal in those before.
    ///
    /// One key is given as it is; several stand in a list:
    /// ```swift
    /// sortedBy: \.displayName
    /// sortedBy: \.score, .descending
    /// sortedBy: [.descending(\.score), .ascending(\.name, comparing: .localizedStandard)]
    /// ```
    /// An order holds names, no key paths, and may cross threads.
    public struct SortOrder<Root: NSManagedObject>: ExpressibleByArrayLiteral, Sendable {
        var keys: [SortKey]

        init(keys: [SortKey]) { self.keys = keys }

        public init(arrayLiteral orders: SortOrder...) {
            // No functions of sequences, and no key path: what is generic over them asks the runtime for types at each call.
            keys = []
            for index in 0..<orders.count { keys += orders[index].keys }
        }

        /// Creates an order by one key.
        public init(_ key: KeyPath<Root, some Any>, _ direction: SortDirection = .ascending) {
            keys = [.named(KeyPathName.of(key), direction)]
        }

        /// Returns the order with the smallest value of a key first. Objects without a value come first.
        public static func ascending(
            _ key: KeyPath<Root, some Any>, comparing comparison: TextComparison = .plain
        ) -> SortOrder { SortOrder(key, .ascending(comparing: comparison)) }

        /// Returns the order with the greatest value of a key first. Objects without a value come last.
        public static func descending(
            _ key: KeyPath<Root, some Any>, comparing comparison: TextComparison = .plain
        ) -> SortOrder { SortOrder(key, .descending(comparing: comparison)) }

        /// Returns the order by a key given as text.
        public static func key(_ name: String, _ direction: SortDirection = .ascending) -> SortOrder {
            SortOrder(keys: [.named(.success(name), direction)])
        }

        /// Returns the order of sort descriptors.
        public static func descriptors(_ descriptors: [NSSortDescriptor]) -> SortOrder {
            SortOrder(keys: descriptors.map(SortKey.descriptor))
        }

        /// Returns this order with `next` deciding between equal objects.
        public func then(_ next: SortOrder) -> SortOrder { SortOrder(keys: keys + next.keys) }

        var isEmpty: Bool { keys.isEmpty }

        /// Returns the sort descriptors for Core Data.
        ///
        /// - Throws: ``MagicalRecordError/Code/unnamedKeyPath``.
        public func sortDescriptors() throws -> [NSSortDescriptor] { try keys.map { try $0.descriptor() } }
    }

    /// The way a key sorts, and for text how it compares.
    public struct SortDirection: Hashable, Sendable {
        let isAscending: Bool
        let comparison: MagicalRecord.TextComparison

        /// Smallest first. Objects without a value come first.
        public static let ascending = ascending(comparing: .plain)
        /// Greatest first. Objects without a value come last.
        public static let descending = descending(comparing: .plain)

        /// Returns the direction with the smallest value first and text compared by `comparison`.
        public static func ascending(comparing comparison: MagicalRecord.TextComparison) -> SortDirection {
            SortDirection(isAscending: true, comparison: comparison)
        }

        /// Returns the direction with the greatest value first and text compared by `comparison`.
        public static func descending(comparing comparison: MagicalRecord.TextComparison) -> SortDirection {
            SortDirection(isAscending: false, comparison: comparison)
        }
    }
}

extension MagicalRecord.SortOrder: CustomStringConvertible {
    /// The keys in their order, as `name descending, age ascending`.
    public var description: String {
        do {
            return try sortDescriptors().map { "\($0.key ?? "") \($0.ascending ? "ascending" : "descending")" }
                .joined(separator: ", ")
        } catch {
            return "invalid order: \(error)"
        }
    }
}

/// One key of an order. Descriptors do not change once made.
enum SortKey: @unchecked Sendable {
    case named(KeyPathName.Outcome, MagicalRecord.SortDirection)
    case descriptor(NSSortDescriptor)

    func descriptor() throws -> NSSortDescriptor {
        switch self {
        case .named(let name, let direction):
            direction.comparison.descriptor(key: try name.get(), ascending: direction.isAscending)
        case .descriptor(let descriptor): descriptor
        }
    }
}

extension MagicalRecord {
    /// The comparison of texts in an order.
    public enum TextComparison: Hashable, Sendable {
        /// Character code by character code.
        case plain
        /// Without regard to case.
        case caseInsensitive
        /// By the rules of the user's language.
        case localized
        /// By the rules of the user's language, without regard to case.
        case localizedCaseInsensitive
        /// As file managers sort: digits count as numbers.
        case localizedStandard

        func descriptor(key: String, ascending: Bool) -> NSSortDescriptor {
            let selector: String
            switch self {
            case .plain: return NSSortDescriptor(key: key, ascending: ascending)
            case .caseInsensitive: selector = "caseInsensitiveCompare:"
            case .localized: selector = "localizedCompare:"
            case .localizedCaseInsensitive: selector = "localizedCaseInsensitiveCompare:"
            case .localizedStandard: selector = "localizedStandardCompare:"
            }
            return NSSortDescriptor(key: key, ascending: ascending, selector: NSSelectorFromString(selector))
        }
    }
}
