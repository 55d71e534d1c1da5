/// Fast casts of values passed as `Any`.
@usableFromInline
package enum PlainValue {
    /// Returns the value if it is of exactly that type, at a fraction of the cost of a cast, which also tries bridging.
    @inlinable @inline(__always)
    package static func of<Value>(_ value: Any, as _: Value.Type) -> Value? {
        guard type(of: value) == Value.self else { return nil }
        // A value that is larger than three words, or has a larger alignment, is boxed.
        guard MemoryLayout<Value>.size <= 3 * MemoryLayout<Int>.size,
            MemoryLayout<Value>.alignment <= MemoryLayout<Int>.alignment, ExistentialContents.isSupported
        else { return value as? Value }
        return withUnsafeBytes(of: value) { $0.load(as: Value.self) }
    }
}
