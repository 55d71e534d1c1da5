import Foundation

/// A sort descriptor of this module: by string key, by selector, or by a Swift key path.
final class KeyedSortDescriptor: NSSortDescriptor {
    /// The access to an object's sort value.
    enum Access {
        case key(CompiledKeyPath?)
        /// A malformed key path, with the error. A fetch throws the error; comparing in memory is a fatal error, as on Apple's
        /// platforms.
        case noKey(String)
        case keyPath((Any) -> Any?, AnyKeyPath)
    }

    let keyName: String?
    let selectorName: Selector?
    let comparison: SortKey.Comparison
    private let access: Access
    private let compareValues: Comparator

    init(
        key: String?, ascending: Bool, selector: Selector?, comparator: Comparator? = nil, access: Access? = nil
    ) {
        keyName = key
        selectorName = comparator == nil ? selector ?? .compare : nil
        comparison = comparator == nil ? SortKey.Comparison(selector: selector) : .comparator
        self.access = access ?? Self.access(key)
        compareValues = comparator ?? Self.comparator(for: comparison)
        super.init(keyPath: \Any.self, ascending: ascending, comparator: compareValues)
    }

    /// Creates a descriptor for a Swift key path. A path through properties with known names is read by name, because a
    /// property declared as non-optional may have no value yet.
    convenience init<Root>(_ keyPath: PartialKeyPath<Root>, ascending: Bool) {
        let key = KeyPathNaming.name(of: keyPath)
        let access: Access
        if let key, Root.self is any KeyPathNamed.Type {
            let named = Self.access(key)
            access = .keyPath({ Self.value(of: $0, named) }, keyPath)
        } else {
            // Objects that are not of the type may be dictionaries.
            access = .keyPath(
                { object in
                    if let root = object as? Root { return root[keyPath: keyPath] }
                    return Self.value(of: object, Self.access(KeyPathNaming.requireName(of: keyPath)))
                }, keyPath)
        }
        self.init(key: key, ascending: ascending, selector: nil, access: access)
    }

    private static func access(_ key: String?) -> Access {
        guard let key, key != "self", key != "SELF" else { return .key(nil) }
        do {
            return .key(try CompiledKeyPath(key))
        } catch {
            return .noKey("\(error)")
        }
    }

    private static func comparator(for comparison: SortKey.Comparison) -> Comparator {
        switch comparison {
        case .natural, .comparator:
            return { ValueComparison.sortOrder($0, $1) }
        case .collation(let collation):
            return { ValueComparison.sortOrder($0, $1, collation) }
        case .unknownSelector(let selector):
            return { _, _ in
                fatalError("A sort descriptor off Apple cannot compare with the selector \(selector)")
            }
        }
    }

    override var keyPath: AnyKeyPath {
        if case .keyPath(_, let keyPath) = access { return keyPath }
        return super.keyPath
    }

    override var comparator: Comparator { compareValues }

    override func compare(_ object1: Any, to object2: Any) -> ComparisonResult {
        let (value1, value2) = (Self.value(of: object1, access), Self.value(of: object2, access))
        let result =
            switch comparison {
            case .natural: ValueComparison.sortOrder(value1, value2)
            case .collation(let collation): ValueComparison.sortOrder(value1, value2, collation)
            // Comparators take `Any`; only nil is passed as an optional in it.
            case .comparator, .unknownSelector:
                compareValues(value1 ?? Any?.none as Any, value2 ?? Any?.none as Any)
            }
        guard !ascending else { return result }
        switch result {
        case .orderedAscending: return .orderedDescending
        case .orderedDescending: return .orderedAscending
        case .orderedSame: return .orderedSame
        }
    }

    private static func value(of object: Any, _ access: Access) -> Any? {
        switch access {
        case .key(nil):
            return object
        case .key(let path?):
            do {
                return try path.value(of: object)
            } catch {
                fatalError("\(error)")
            }
        case .noKey(let mistake):
            fatalError(mistake)
        case .keyPath(let value, _):
            return value(object)
        }
    }

    override var reversedSortDescriptor: Any {
        if case .comparator = comparison {
            return KeyedSortDescriptor(
                key: keyName, ascending: !ascending, selector: nil, comparator: compareValues, access: access)
        }
        return KeyedSortDescriptor(key: keyName, ascending: !ascending, selector: selectorName, access: access)
    }

    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? KeyedSortDescriptor else { return false }
        if other === self { return true }
        if case .comparator = comparison { return false }
        return keyName == other.keyName && ascending == other.ascending && selectorName == other.selectorName
            && keyPath == other.keyPath
    }

    override var hash: Int {
        var hasher = Hasher()
        hasher.combine(keyName)
        hasher.combine(ascending)
        return hasher.finalize()
    }

    override var description: String {
        "(\(keyName ?? "self"), \(ascending ? "ascending" : "descending"), \(selectorName?.name ?? "comparator"))"
    }
}
