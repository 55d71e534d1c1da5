import CoreDataRuntimeSupport
import Foundation

/// Finds the names of Swift key paths: the `a.b` of `\Person.a.b`.
///
/// Off Apple's platforms a key path does not contain its name in general. Classes that know the names conform to
/// ``KeyPathNamed``, as `NSManagedObject` does; resolvers for others can be registered. Without either, only key paths of
/// stored properties have names.
///
/// Thread-safe: all functions may be called from any thread.
public enum KeyPathNaming {
    /// Returns the dotted name of a key path, or nil if it is unknown.
    public typealias Resolver = @Sendable (AnyKeyPath) -> String?

    private static let resolvers = Locked<[Resolver]>([])
    private static let names = Locked<[AnyKeyPathBox: String]>([:])

    /// Adds a resolver. Resolvers are called in reverse order of registration.
    public static func register(_ resolver: @escaping Resolver) {
        resolvers.withLock { $0.insert(resolver, at: 0) }
    }

    /// Returns the dotted name of `keyPath`, or nil; `self` for `\.self`. Names are cached.
    public static func name(of keyPath: AnyKeyPath) -> String? {
        let box = AnyKeyPathBox(keyPath: keyPath)
        if let name = names.withLock({ $0[box] }) { return name }
        if isIdentity(keyPath) { return "self" }
        if let root = type(of: keyPath).rootType as? any KeyPathNamed.Type, let name = root.propertyName(of: keyPath) {
            names.withLock { $0[box] = name }
            return name
        }
        let candidates = resolvers.withLock { $0 }
        for resolver in candidates {
            if let name = resolver(keyPath) {
                names.withLock { $0[box] = name }
                return name
            }
        }
        guard let name = nameFromReflection(keyPath) else { return nil }
        names.withLock { $0[box] = name }
        return name
    }

    /// Returns the dotted name of `keyPath`; raises a fatal error if there is none.
    public static func requireName(of keyPath: AnyKeyPath) -> String {
        guard let name = name(of: keyPath) else {
            fatalError(
                """
                The key path \(keyPath) has no name off Apple. Use a string key instead, or register a resolver with \
                KeyPathNaming.register(_:).
                """)
        }
        return name
    }

    /// Returns whether a key path is `\Root.self`.
    private static func isIdentity(_ keyPath: AnyKeyPath) -> Bool {
        let type = Swift.type(of: keyPath)
        func identity<Root>(of root: Root.Type) -> AnyKeyPath { \Root.self }
        return type.rootType == type.valueType && keyPath == _openExistential(type.rootType, do: identity)
    }

    /// Parses the description of a key path. Stored properties show as `\Root.a?.b`; other components show as `<computed …>`
    /// and have no name.
    private static func nameFromReflection(_ keyPath: AnyKeyPath) -> String? {
        let text = keyPath.debugDescription
        let root = "\\\(String(describing: Swift.type(of: keyPath).rootType))."
        guard text.hasPrefix(root) else { return nil }
        let path = text.dropFirst(root.count).filter { $0 != "?" && $0 != "!" }
        guard !path.isEmpty, path.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." })
        else { return nil }
        return String(path)
    }
}

/// A key path as a dictionary key. Sending it between threads is safe: key paths are immutable, and those with captured indices
/// (the only ones that might hold unsafe values) have no names.
private struct AnyKeyPathBox: Hashable, @unchecked Sendable {
    let keyPath: AnyKeyPath
}
