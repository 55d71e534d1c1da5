import CoreDataRuntimeSupport
import Foundation

/// Reads one key from many objects, caching how the first of them is read.
final class KeyReader: Sendable {
    /// A class and its conformance, found by one dynamic cast. (Unchecked, although metatypes may be sent anywhere.)
    private final class KnownClass: @unchecked Sendable {
        let type: AnyClass
        let coder: any KeyValueCoding.Type

        init(_ type: AnyClass, _ coder: any KeyValueCoding.Type) {
            self.type = type
            self.coder = coder
        }
    }

    private let key: PredicateKey
    private let known = MadeOnce<KnownClass>()

    init(_ name: String) {
        key = PredicateKey(name)
    }

    /// Returns the value of the key in `object`; nil for a nil object.
    @inline(__always)
    func value(of object: Any?) throws -> PredicateValue {
        try withUnsafePointer(to: object) { try value(at: $0) }
    }

    private func value(at pointer: UnsafePointer<Any?>) throws -> PredicateValue {
        let contents = ExistentialContents(pointer)
        let type = contents.type
        if type == [String: Any].self { return PredicateValue(contents.load(as: [String: Any].self)[key.name]) }
        if type is AnyClass, let coder = coder(of: Swift.type(of: contents.load(as: AnyObject.self))) {
            return try coder.predicateValue(in: contents, key)
        }
        guard let object = pointer.pointee else { return .null }
        if let object = object as? any KeyValueCoding { return try object.predicateValueThrowing(forKey: key) }
        return PredicateValue(try KeyValueAccess.value(of: object, forKey: key.name))
    }

    @inline(__always)
    private func coder(of type: AnyClass) -> (any KeyValueCoding.Type)? {
        if let coder = known.withLoaded({ $0.type == type ? $0.coder : nil }), let coder { return coder }
        guard let coder = type as? any KeyValueCoding.Type else { return nil }
        _ = known.storeIfNil(KnownClass(type, coder))
        return coder
    }
}

extension KeyValueCoding {
    /// Returns the value of a key in an object of this class.
    fileprivate static func predicateValue(in contents: ExistentialContents, _ key: PredicateKey) throws
        -> PredicateValue
    {
        try contents.load(as: Self.self).predicateValueThrowing(forKey: key)
    }
}
