import Foundation

/// A transformer from values to Booleans.
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

/// A transformer that stores values as keyed archives.
protocol ArchivingTransformer: ValueTransformer {
    /// The classes that an archive may contain; nil for all.
    var readableClasses: [AnyClass]? { get }
}

extension ArchivingTransformer {
    fileprivate func object(from data: Data) -> Any? {
        try? KeyedArchive.object(from: data, allowing: readableClasses)
    }

    fileprivate func archive(of value: Any) -> Data? { try? KeyedArchive.data(of: value, allowing: readableClasses) }
}

/// A transformer between objects of any class and keyed archives, for transformable attributes without a named transformer.
/// Only for data written by the program.
final class UnarchiveTransformer: ValueTransformer, ArchivingTransformer, @unchecked Sendable {
    var readableClasses: [AnyClass]? { nil }

    override func transformedValue(_ value: Any?) -> Any? { (value as? Data).flatMap { object(from: $0) } }

    override func reverseTransformedValue(_ value: Any?) -> Any? { value.flatMap { archive(of: $0) } }
}

/// A transformer between objects of allowed classes and keyed archives. To allow more classes, subclass it, register an
/// instance of the subclass, and name it in the model.
open class NSSecureUnarchiveFromDataTransformer: ValueTransformer, ArchivingTransformer, @unchecked Sendable {
    /// The classes that are allowed for the archived object and for elements of collections. Objects inside an object of
    /// another class are checked by its `init(coder:)` only. An overridden ``ValueTransformer/transformedValueClass()`` is
    /// allowed as well.
    open class var allowedTopLevelClasses: [AnyClass] {
        [
            NSArray.self, NSDictionary.self, NSSet.self, NSOrderedSet.self, NSString.self, NSNumber.self, NSDate.self,
            NSData.self, NSURL.self, NSUUID.self, NSNull.self,
        ]
    }

    final var readableClasses: [AnyClass]? {
        let type = type(of: self)
        let own: AnyClass = type.transformedValueClass()
        return own == NSObject.self ? type.allowedTopLevelClasses : type.allowedTopLevelClasses + [own]
    }

    /// Returns the object archived in a `Data`; nil for other values, and if the archive is damaged or contains a class that is
    /// not allowed.
    open override func transformedValue(_ value: Any?) -> Any? { (value as? Data).flatMap { object(from: $0) } }

    /// Returns a keyed archive of the object; nil if its class cannot be archived or is not allowed.
    open override func reverseTransformedValue(_ value: Any?) -> Any? { value.flatMap { archive(of: $0) } }
}
