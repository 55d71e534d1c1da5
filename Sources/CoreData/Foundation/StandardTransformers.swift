import Foundation

/// Turns values into true or false, one way.
final class TruthTransformer: ValueTransformer, @unchecked Sendable {
    private let isReversible: Bool
    private let test: @Sendable (Any?) -> Bool

    init(isReversible: Bool = false, test: @escaping @Sendable (Any?) -> Bool) {
        self.isReversible = isReversible
        self.test = test
        super.init()
    }

    override class func transformedValueClass() -> AnyClass { NSNumber.self }

    override func transformedValue(_ value: Any?) -> Any? { NSNumber(value: test(value)) }

    override func reverseTransformedValue(_ value: Any?) -> Any? {
        guard isReversible else { fatalError("The transformer does not allow reverse transformation.") }
        return transformedValue(value)
    }
}

/// Objects of any class from and to keyed archives. Only for data the program wrote itself.
final class UnarchiveTransformer: ValueTransformer, @unchecked Sendable {
    override func transformedValue(_ value: Any?) -> Any? {
        (value as? Data).flatMap { try? KeyedArchive.object(from: $0, allowing: nil) }
    }

    override func reverseTransformedValue(_ value: Any?) -> Any? {
        value.flatMap { try? KeyedArchive.data(of: $0, secure: false) }
    }
}

/// Objects of allowed classes from and to keyed archives: what transformable attributes use unless they name another
/// transformer. Subclass it to allow more classes, and register an object of the subclass.
open class NSSecureUnarchiveFromDataTransformer: ValueTransformer, @unchecked Sendable {
    /// The classes an archive may contain.
    open class var allowedTopLevelClasses: [AnyClass] {
        [
            NSArray.self, NSDictionary.self, NSSet.self, NSOrderedSet.self, NSString.self, NSNumber.self, NSDate.self,
            NSData.self, NSURL.self, NSUUID.self, NSNull.self,
        ]
    }

    /// The object archived in a `Data`; nil for other values, and where the archive is damaged or holds another class.
    open override func transformedValue(_ value: Any?) -> Any? {
        guard let data = value as? Data else { return nil }
        return try? KeyedArchive.object(from: data, allowing: type(of: self).allowedTopLevelClasses)
    }

    /// A keyed archive of the object; nil where its class cannot be archived.
    open override func reverseTransformedValue(_ value: Any?) -> Any? {
        value.flatMap { try? KeyedArchive.data(of: $0, secure: true) }
    }
}
