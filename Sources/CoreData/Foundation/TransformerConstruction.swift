import CSwiftRuntime

/// Makes transformers of classes that are known at run time only.
///
/// Swift calls an initializer through a class value only if every subclass has to have it; requiring that of transformers
/// would break those with initializers of their own. Method tables have an entry for it all the same.
enum TransformerConstruction {
    private final class Plain: ValueTransformer, @unchecked Sendable {}

    /// What `init()` makes of a class; nil if the class's method table is not as expected. Stops the program, as at Apple,
    /// where the class does not have that initializer.
    static func make(_ type: ValueTransformer.Type) -> ValueTransformer? {
        guard let place, let initializer = UnsafeRawPointer(bitPattern: word(type, place)) else { return nil }
        let object = cswiftruntime_construct(unsafeBitCast(type, to: UnsafeRawPointer.self), initializer)
        return Unmanaged<ValueTransformer>.fromOpaque(object).takeRetainedValue()
    }

    /// Where `init()` lies in the method table: a subclass without members has one of its own, and shares all else.
    private static let place: Int? = {
        let base = unsafeBitCast(ValueTransformer.self, to: UnsafeRawPointer.self)
        // A class's metadata: fixed fields, then the methods of its ancestors, then its own.
        let size = Int(base.load(fromByteOffset: 32, as: UInt32.self))
        let addressPoint = Int(base.load(fromByteOffset: 36, as: UInt32.self))
        guard size > 56, size < 1 << 16 else { return nil }
        let differing = stride(from: 56, to: size - addressPoint, by: 8).filter {
            word(Plain.self, $0) != word(ValueTransformer.self, $0)
        }
        return differing.count == 1 ? differing[0] : nil
    }()

    private static func word(_ type: ValueTransformer.Type, _ offset: Int) -> UInt {
        unsafeBitCast(type, to: UnsafeRawPointer.self).load(fromByteOffset: offset, as: UInt.self)
    }
}
