/// Looking into values passed as `Any`.
@usableFromInline
package enum PlainValue {
    /// The value, if it is of exactly that type: at a fraction of what a cast costs, which asks for bridges as well.
    @inlinable @inline(__always)
    package static func of<Value>(_ value: Any, as _: Value.Type) -> Value? {
        guard type(of: value) == Value.self else { return nil }
        // What is larger than three words, or is to lie otherwise, has a box.
        guard MemoryLayout<Value>.size <= 3 * MemoryLayout<Int>.size,
            MemoryLayout<Value>.alignment <= MemoryLayout<Int>.alignment, ExistentialContents.isSupported
        else { return value as? Value }
        return withUnsafeBytes(of: value) { $0.load(as: Value.self) }
    }
}
