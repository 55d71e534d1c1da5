import Foundation

// `NSSet` values written as array literals, as on Apple's platforms. This goes when Foundation has it off Apple
// (`NSOrderedSet` literals it has).

/// What makes `NSSet` expressible by an array literal; of no use by itself.
///
/// A class outside this module cannot be given a required initializer, but an initializer inherited from a protocol
/// may assign `self`.
public protocol ObjectSetLiteral: ExpressibleByArrayLiteral where ArrayLiteralElement == Any {}

extension ObjectSetLiteral {
    /// A set of the elements.
    ///
    /// Always a mutable one: here the initializer cannot know whether `NSSet` or `NSMutableSet` was asked for, and a
    /// mutable set is both.
    public init(arrayLiteral elements: Any...) {
        self = NSMutableSet(array: elements) as! Self
    }
}

extension NSSet: @retroactive ExpressibleByArrayLiteral, ObjectSetLiteral {
    /// Sets of Foundation take elements of any type.
    public typealias ArrayLiteralElement = Any
}
