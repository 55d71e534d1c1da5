#if !canImport(Darwin)
/// Turns a finished object into an instance of another class with the same storage.
///
/// Foundation off Apple leaves `NSExpression` and `NSComparisonPredicate` without a reachable initialiser, so a
/// subclass of them can be declared but not created in the ordinary way. Here an object of a class that *can* be
/// created is made first, fully initialised, and then its class pointer is replaced. Both classes must store the same
/// fields in the same order; the sizes are checked.
package enum ClassAdoption {
    /// Makes `object` an instance of `newClass`.
    ///
    /// - Precondition: nobody else has seen `object` yet, and both classes have the same stored properties.
    package static func adopt(_ object: AnyObject, into newClass: AnyClass) {
        let header = Unmanaged.passUnretained(object).toOpaque().assumingMemoryBound(to: UnsafeRawPointer.self)
        let metadata = unsafeBitCast(newClass, to: UnsafeRawPointer.self)
        precondition(
            metadata.load(fromByteOffset: sizeOffset, as: UInt64.self)
                == header.pointee.load(fromByteOffset: sizeOffset, as: UInt64.self),
            "classes that adopt each other's objects must have the same storage")
        replace(header, metadata)
    }

    /// Whether instances of two classes have the same size.
    package static func haveSameStorage(_ a: AnyClass, _ b: AnyClass) -> Bool {
        func size(_ type: AnyClass) -> UInt64 {
            unsafeBitCast(type, to: UnsafeRawPointer.self).load(fromByteOffset: sizeOffset, as: UInt64.self)
        }
        return size(a) == size(b)
    }

    /// On its own so that whoever optimises the caller does not look in here, and takes raw pointers so that no references are
    /// counted. Not being optimised it must do next to nothing.
    @inline(never)
    @_optimize(none)
    private static func replace(_ header: UnsafeMutablePointer<UnsafeRawPointer>, _ metadata: UnsafeRawPointer) {
        header.pointee = metadata
    }

    /// Where class metadata keeps the instance size (32 bits) and alignment mask (16 bits, then 16 reserved).
    private static let sizeOffset = 24
}
#endif
