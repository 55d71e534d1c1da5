import Foundation

// Array literals for `NSSet`, as on Apple's platforms. To be removed once Foundation has them everywhere (it has those of
// `NSOrderedSet`).

/// The protocol that makes `NSSet` expressible by an array literal; not to be used otherwise.
///
/// A class outside this module cannot be given a required initializer, but an initializer inherited from a protocol may assign
/// `self`.
public protocol ObjectSetLiteral: ExpressibleByArrayLiteral where ArrayLiteralElement == Any {}

extension ObjectSetLiteral {
    /// Creates a set of the elements.
    ///
    /// Always creates a mutable set: the initializer cannot know whether `NSSet` or `NSMutableSet` was requested, and a mutable
    /// set is both.
    public init(arrayLiteral elements: Any...) {
        self = NSMutableSet(array: elements) as! Self
    }
}

extension NSSet: @retroactive ExpressibleByArrayLiteral, ObjectSetLiteral {
    /// Sets of Foundation take elements of any type.
    public typealias ArrayLiteralElement = Any
}
