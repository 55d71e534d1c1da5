import Foundation

// An extension of a protocol, because only there may an initializer choose the class of the new object.
extension NSCopying where Self: NSSortDescriptor {
    /// Creates a descriptor that sorts by the natural order of the values of `key`.
    ///
    /// - Parameters:
    ///   - key: a key path, or nil for the objects themselves.
    ///   - ascending: true if smaller values come first. Nil is smaller than any value.
    public init(key: String?, ascending: Bool) {
        self = Self.from(KeyedSortDescriptor(key: key, ascending: ascending, selector: nil))
    }

    /// Creates a descriptor that sorts by a comparison method of the values of `key`.
    ///
    /// - Parameters:
    ///   - key: a key path, or nil for the objects themselves.
    ///   - ascending: true if smaller values come first.
    ///   - selector: one of the methods listed at ``Selector``; nil means `compare:`.
    public init(key: String?, ascending: Bool, selector: Selector?) {
        self = Self.from(KeyedSortDescriptor(key: key, ascending: ascending, selector: selector))
    }

    /// Creates a descriptor that sorts by a comparator, in memory only.
    ///
    /// - Parameters:
    ///   - key: a key path, or nil for the objects themselves.
    ///   - ascending: true if smaller values come first.
    ///   - cmptr: compares two values of the key; a missing value is passed as an empty optional.
    public init(key: String?, ascending: Bool, comparator cmptr: @escaping Comparator) {
        self = Self.from(KeyedSortDescriptor(key: key, ascending: ascending, selector: nil, comparator: cmptr))
    }

    /// Creates a descriptor that sorts by the natural order of the values of a Swift key path, of any type.
    ///
    /// Overload resolution prefers Foundation's own initializer if the values are `Comparable`, except for managed objects;
    /// both descriptors have a `key`.
    public init<Root, Value>(keyPath: KeyPath<Root, Value>, ascending: Bool) {
        self = Self.from(KeyedSortDescriptor(keyPath, ascending: ascending))
    }

    init<Root, Value>(_keyPath keyPath: KeyPath<Root, Value>, ascending: Bool) {
        self = Self.from(KeyedSortDescriptor(keyPath, ascending: ascending))
    }

    /// Creates a descriptor from Swift's `SortDescriptor`.
    ///
    /// Off Apple's platforms Foundation has no localized string comparators, so values compare in their natural order. A
    /// descriptor without a key path sorts in memory only.
    public init<Compared>(_ sortDescriptor: SortDescriptor<Compared>) where Compared: NSObject {
        let ascending = sortDescriptor.order == .forward
        guard let keyPath: PartialKeyPath<Compared> = sortDescriptor.keyPath else {
            let comparator: Comparator = { left, right in
                guard let left = left as? Compared, let right = right as? Compared else { return .orderedSame }
                let result = sortDescriptor.compare(left, right)
                return ascending ? result : result.reversed
            }
            self = Self.from(KeyedSortDescriptor(key: nil, ascending: ascending, selector: nil, comparator: comparator))
            return
        }
        self = Self.from(KeyedSortDescriptor(keyPath, ascending: ascending))
    }

    private static func from(_ descriptor: KeyedSortDescriptor) -> Self {
        guard let result = descriptor as? Self else {
            fatalError("Create sort descriptors with NSSortDescriptor; \(Self.self) needs an initialiser of its own")
        }
        return result
    }
}

extension NSSortDescriptor {
    /// Creates a descriptor that sorts by the natural order of the values of a managed object's property.
    ///
    /// The property is read by its name, as on Apple's platforms: an object without a value comes first, even if the property
    /// is declared as non-optional.
    public convenience init<Root: KeyPathNamed, Value: Comparable>(keyPath: KeyPath<Root, Value>, ascending: Bool) {
        self.init(_keyPath: keyPath, ascending: ascending)
    }

    /// The key path the descriptor sorts by; nil for the object itself.
    public var key: String? {
        if let keyed = self as? KeyedSortDescriptor { return keyed.keyName }
        return KeyPathNaming.name(of: keyPath)
    }

    /// The comparison method; nil if the descriptor uses a comparator.
    public var selector: Selector? {
        guard let keyed = self as? KeyedSortDescriptor else { return .compare }
        return keyed.selectorName
    }

    /// The descriptor as a value.
    ///
    /// A descriptor created by Foundation's own `init(keyPath:ascending:comparator:)` is indistinguishable from one that sorts
    /// by the natural order.
    public var sortKey: SortKey {
        guard let keyed = self as? KeyedSortDescriptor else {
            return SortKey(key: key, ascending: ascending, comparison: .natural)
        }
        return SortKey(key: keyed.keyName, ascending: ascending, comparison: keyed.comparison)
    }

    /// Does nothing: decoded sort descriptors contain no code and may always be evaluated.
    public func allowEvaluation() {}
}
