import CoreData

extension MagicalRecord {
    /// The order of a result: one key, or several of which each decides between objects equal in those before.
    ///
    /// ```swift
    /// sortedBy: .ascending(\.displayName)
    /// sortedBy: [.descending(\.score), .ascending(\.name, comparing: .localizedStandard)]
    /// ```
    public struct SortOrder<Root: NSManagedObject>: ExpressibleByArrayLiteral {
        private var keys: [Result<NSSortDescriptor, any Error>]

        public init(arrayLiteral orders: SortOrder...) {
            keys = orders.flatMap(\.keys)
        }

        private init(_ key: Result<NSSortDescriptor, any Error>) {
            keys = [key]
        }

        /// Smallest first. Objects without a value come first.
        public static func ascending<Value>(
            _ key: KeyPath<Root, Value>, comparing comparison: TextComparison = .plain
        ) -> SortOrder {
            SortOrder(key, ascending: true, comparison)
        }

        /// Greatest first. Objects without a value come last.
        public static func descending<Value>(
            _ key: KeyPath<Root, Value>, comparing comparison: TextComparison = .plain
        ) -> SortOrder {
            SortOrder(key, ascending: false, comparison)
        }

        /// By a key given as text.
        public static func key(
            _ name: String, ascending: Bool, comparing comparison: TextComparison = .plain
        ) -> SortOrder {
            SortOrder(.success(comparison.descriptor(key: name, ascending: ascending)))
        }

        /// Sort descriptors made elsewhere.
        public static func descriptors(_ descriptors: [NSSortDescriptor]) -> SortOrder {
            var order: SortOrder = []
            order.keys = descriptors.map(Result.success)
            return order
        }

        /// This order, and `next` between what it leaves equal.
        public func then(_ next: SortOrder) -> SortOrder {
            [self, next]
        }

        private init<Value>(_ key: KeyPath<Root, Value>, ascending: Bool, _ comparison: TextComparison) {
            self.init(
                Result { comparison.descriptor(key: try KeyPathName.of(key).get(), ascending: ascending) })
        }

        var isEmpty: Bool { keys.isEmpty }

        /// The descriptors to give to Core Data.
        ///
        /// - Throws: ``MagicalRecordError/Code/unnamedKeyPath``.
        public func sortDescriptors() throws -> [NSSortDescriptor] {
            try keys.map { try $0.get() }
        }
    }
}

/// How texts are put in order.
public enum TextComparison: Hashable, Sendable {
    /// Character code by character code.
    case plain
    /// Without regard to case.
    case caseInsensitive
    /// As the user's language has it.
    case localized
    /// As the user's language has it, without regard to case.
    case localizedCaseInsensitive
    /// As file managers do: digits count as numbers.
    case localizedStandard

    func descriptor(key: String, ascending: Bool) -> NSSortDescriptor {
        let name: String
        switch self {
        case .plain: return NSSortDescriptor(key: key, ascending: ascending)
        case .caseInsensitive: name = "caseInsensitiveCompare:"
        case .localized: name = "localizedCompare:"
        case .localizedCaseInsensitive: name = "localizedCaseInsensitiveCompare:"
        case .localizedStandard: name = "localizedStandardCompare:"
        }
        return NSSortDescriptor(key: key, ascending: ascending, selector: NSSelectorFromString(name))
    }
}
