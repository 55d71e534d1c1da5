#if !canImport(Darwin)
import CCoreDataRuntime

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// The runtime's metadata of a class: its superclass, the size of its instances, and its method table.
///
/// The layout is the compiler's without Objective-C: kind, superclass, flags and sizes, the compiler's descriptor, then the
/// methods of the class's ancestors and its own.
package struct ClassMetadata {
    private let start: UnsafeMutableRawPointer

    /// Reads a class's metadata; returns nil if metadata do not have that layout.
    package init?(_ type: AnyClass) {
        guard Self.isSupported else { return nil }
        self.init(reading: type)
    }

    private init(reading type: AnyClass) {
        start = unsafeBitCast(type, to: UnsafeMutableRawPointer.self)
    }

    /// Whether metadata have that layout.
    package static var isSupported: Bool { MemoryAssumption.holds(CCoreDataRuntimeClassMetadata, isAsDescribed) }

    private enum Offset {
        /// The deallocating function, before the address point.
        static let destroyer = -16
        static let superclass = 8
        /// The size in 32 bits, followed by the alignment in 16.
        static let instanceSize = 24
        static let instanceAlignment = 28
        /// The size of the metadata, counted from before the address point, and the distance to that.
        static let size = 32
        static let addressPoint = 36
        static let descriptor = 40
        static let methods = 56
    }

    /// Reads a word of the metadata at a byte offset from the address point.
    private subscript(offset: Int) -> UInt { start.load(fromByteOffset: offset, as: UInt.self) }

    /// The compiler's descriptor of the class; nil for one that was created at run time.
    var descriptor: UnsafeRawPointer? {
        start.load(fromByteOffset: Offset.descriptor, as: UnsafeRawPointer?.self)
    }

    /// Returns true if instances of the two classes have the same size and alignment.
    package func hasStorage(of other: ClassMetadata) -> Bool {
        start.load(fromByteOffset: Offset.instanceSize, as: UInt32.self)
            == other.start.load(fromByteOffset: Offset.instanceSize, as: UInt32.self)
            && start.load(fromByteOffset: Offset.instanceAlignment, as: UInt16.self)
                == other.start.load(fromByteOffset: Offset.instanceAlignment, as: UInt16.self)
    }

    /// Returns true if the object is an instance of exactly this class, by its first word.
    func describes(_ object: AnyObject) -> Bool {
        Unmanaged.passUnretained(object).toOpaque().load(as: UnsafeMutableRawPointer.self) == start
    }

    /// Makes the object an instance of this class.
    func adopt(_ object: AnyObject) {
        Self.replace(
            Unmanaged.passUnretained(object).toOpaque().assumingMemoryBound(to: UnsafeMutableRawPointer.self), start)
    }

    /// Replaces the class pointer. Not inlined, so that the optimizer cannot assume the object's class across the store.
    /// Takes raw pointers to avoid retain/release. It is not optimized, so it must do next to nothing.
    @inline(never)
    @_optimize(none)
    private static func replace(
        _ header: UnsafeMutablePointer<UnsafeMutableRawPointer>, _ metadata: UnsafeMutableRawPointer
    ) {
        header.pointee = metadata
    }

    // MARK: Methods

    /// The offset of a method in the tables of a class and its subclasses.
    package struct Method: Hashable, Sendable {
        fileprivate let offset: Int
    }

    /// The end of the method table.
    private var end: Int {
        Int(start.load(fromByteOffset: Offset.size, as: UInt32.self))
            - Int(start.load(fromByteOffset: Offset.addressPoint, as: UInt32.self))
    }

    /// Returns the methods of the class that `overriding` overrides: those that it does not share, and that `plain`, which
    /// overrides nothing, shares. Both are direct subclasses. Returns an empty array unless there are `count`.
    package func methods(
        overriddenBy overriding: ClassMetadata, butNotBy plain: ClassMetadata, count: Int
    ) -> [Method] {
        guard end > Offset.methods, end <= 1 << 16, end <= plain.end, end <= overriding.end else { return [] }
        let offsets = stride(from: Offset.methods, to: end, by: MemoryLayout<UInt>.size).filter { offset in
            self[offset] == plain[offset] && self[offset] != overriding[offset]
        }
        return offsets.count == count ? offsets.map(Method.init) : []
    }

    /// Returns true if the class has the same implementation of a method as one of its superclasses.
    package func shares(_ method: Method, with other: ClassMetadata) -> Bool {
        self[method.offset] == other[method.offset]
    }

    /// Replaces methods with those of another class. Returns false, without replacing any, if the memory is protected.
    package func replace(_ methods: [Method], with other: ClassMetadata) -> Bool {
        guard let first = methods.map(\.offset).min(), let last = methods.map(\.offset).max(),
            makeWritable(first...last)
        else { return false }
        for method in methods {
            start.storeBytes(of: other[method.offset], toByteOffset: method.offset, as: UInt.self)
        }
        return true
    }

    /// Replaces the function that frees instances with that of another class. Does nothing unless both have the same storage.
    package func replaceDestroyer(with other: ClassMetadata) {
        guard hasStorage(of: other), self[Offset.destroyer] != 0, other[Offset.destroyer] != 0 else { return }
        _ = replace([Method(offset: Offset.destroyer)], with: other)
    }

    /// Makes the pages from the first to the last entry writable. Metadata is writable data, but may have been protected
    /// after loading.
    private func makeWritable(_ offsets: ClosedRange<Int>) -> Bool {
        let page = sysconf(Int32(_SC_PAGESIZE))
        guard page > 0 else { return false }
        let begin = (Int(bitPattern: start) + offsets.lowerBound) / page * page
        let end = Int(bitPattern: start) + offsets.upperBound + MemoryLayout<UInt>.size
        guard let aligned = UnsafeMutableRawPointer(bitPattern: begin) else { return false }
        return mprotect(aligned, end - begin, PROT_READ | PROT_WRITE) == 0
    }

    // MARK: The check

    private static func isAsDescribed() -> Bool {
        guard MemoryLayout<UInt>.size == 8 else { return false }
        let base = ClassMetadata(reading: MetadataProbe.self)
        let plain = ClassMetadata(reading: MetadataProbePlain.self)
        let below = ClassMetadata(reading: MetadataProbeBelow.self)
        let sizes = [base, plain, below].map { $0.start.load(fromByteOffset: Offset.instanceSize, as: UInt32.self) }
        // An object begins with its class pointer and reference count.
        return sizes == [24, 24, 25] && base.hasStorage(of: plain) && !base.hasStorage(of: below)
            && base.start.load(fromByteOffset: Offset.instanceAlignment, as: UInt16.self) == 7
            && below[Offset.superclass] == UInt(bitPattern: base.start)
            && 16...64 ~= base.start.load(fromByteOffset: Offset.addressPoint, as: UInt32.self)
            && base[Offset.destroyer] != 0 && base[Offset.descriptor] != below[Offset.descriptor]
            && base.methods(overriddenBy: below, butNotBy: plain, count: 1).count == 1
            && base.describes(MetadataProbe()) && below.describes(MetadataProbeBelow())
    }
}

/// Classes with known metadata: public to the optimizer, which would otherwise remove methods that are never called.
@usableFromInline
package class MetadataProbe {
    final var word = 0
    @usableFromInline init() {}
    @usableFromInline func number() -> Int { word }
    @usableFromInline func otherNumber() -> Int { word + 1 }
}

@usableFromInline
package class MetadataProbePlain: MetadataProbe {}

@usableFromInline
package class MetadataProbeBelow: MetadataProbe {
    final var byte: UInt8 = 0
    @usableFromInline override func number() -> Int { Int(byte) - 1 }
}
#endif
