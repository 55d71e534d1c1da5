import Foundation

/// Fast copies of text, which is usually short: calling `memcpy` takes longer than copying a name.
@usableFromInline
package enum ShortCopy {
    /// Copies `count` bytes, which may be 0 with nil pointers; accesses no byte beyond them.
    @inlinable @inline(__always)
    package static func copy(_ source: UnsafeRawPointer?, _ count: Int, to target: UnsafeMutableRawPointer) {
        guard let source else { return }
        if count > 32 {
            memcpy(target, source, count)
        } else if count >= 16 {
            copyEnds(source, count, to: target, SIMD2<UInt64>.self)
        } else if count >= 8 {
            copyEnds(source, count, to: target, UInt64.self)
        } else if count >= 4 {
            copyEnds(source, count, to: target, UInt32.self)
        } else if count > 0 {
            let (first, middle, last) = (
                source.load(as: UInt8.self), source.load(fromByteOffset: count / 2, as: UInt8.self),
                source.load(fromByteOffset: count - 1, as: UInt8.self)
            )
            target.storeBytes(of: first, as: UInt8.self)
            target.storeBytes(of: middle, toByteOffset: count / 2, as: UInt8.self)
            target.storeBytes(of: last, toByteOffset: count - 1, as: UInt8.self)
        }
    }

    /// Copies the first and the last bytes with two accesses of a `Word`, which may overlap and cover all.
    @inlinable @inline(__always)
    static func copyEnds<Word: BitwiseCopyable>(
        _ source: UnsafeRawPointer, _ count: Int, to target: UnsafeMutableRawPointer, _: Word.Type
    ) {
        let rest = count - MemoryLayout<Word>.size
        let first = source.loadUnaligned(as: Word.self)
        let last = source.loadUnaligned(fromByteOffset: rest, as: Word.self)
        target.storeBytes(of: first, as: Word.self)
        target.storeBytes(of: last, toByteOffset: rest, as: Word.self)
    }
}
