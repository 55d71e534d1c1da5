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

/// A transformer that keeps values as keyed archives.
protocol ArchivingTransformer: ValueTransformer {
    /// The classes an archive may consist of; nil for all.
    var readableClasses: [AnyClass]? { get }
}

extension ArchivingTransformer {
    fileprivate func object(from data: Data) -> Any? {
        try? KeyedArchive.object(from: data, allowing: readableClasses)
    }

    fileprivate func archive(of value: Any) -> Data? { try? KeyedArchive.data(of: value, allowing: readableClasses) }
}

/// Objects of any class from and to keyed archives, for transformable attributes that name no transformer. Only for data that the
/// program wrote itself.
final class UnarchiveTransformer: ValueTransformer, ArchivingTransformer, @unchecked Sendable {
    var readableClasses: [AnyClass]? { nil }

    override func transformedValue(_ value: Any?) -> Any? { (value as? Data).flatMap { object(from: $0) } }

    override func reverseTransformedValue(_ value: Any?) -> Any? { value.flatMap { archive(of: $0) } }
}

/// Objects of allowed classes from and to keyed archives. Subclass it to allow more classes, register an object of the subclass, and
/// name it in the model.
open class NSSecureUnarchiveFromDataTransformer: ValueTransformer, ArchivingTransformer, @unchecked Sendable {
    /// The classes that are allowed for the archived object and for elements of collections. Objects inside an object of another
    /// class are up to its `init(coder:)`. ``ValueTransformer/transformedValueClass()`` is allowed as well where it is overridden.
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

    /// The object archived in a `Data`; nil for other values, and where the archive is damaged or holds another class.
    open override func transformedValue(_ value: Any?) -> Any? { (value as? Data).flatMap { object(from: $0) } }

    /// A keyed archive of the object; nil where its class cannot be archived or is not allowed.
    open override func reverseTransformedValue(_ value: Any?) -> Any? { value.flatMap { archive(of: $0) } }
}
