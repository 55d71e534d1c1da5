#if !canImport(Darwin)
import CCoreDataRuntime

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// What the runtime keeps of a class: its superclass, the size of its instances, and the table of its methods.
///
/// The layout is the compiler's where there is no Objective-C: kind, superclass, flags and sizes, the compiler's description,
/// then the methods of the class's ancestors and its own.
package struct ClassMetadata {
    private let start: UnsafeMutableRawPointer

    /// nil where metadata does not lie as described.
    package init?(_ type: AnyClass) {
        guard Self.isSupported else { return nil }
        self.init(reading: type)
    }

    private init(reading type: AnyClass) {
        start = unsafeBitCast(type, to: UnsafeMutableRawPointer.self)
    }

    /// Whether metadata lies as described.
    package static var isSupported: Bool { MemoryAssumption.holds(CCoreDataRuntimeClassMetadata, isAsDescribed) }

    private enum Offset {
        /// Before the address: the function that frees an instance.
        static let destroyer = -16
        static let superclass = 8
        /// Size in 32 bits, then the alignment in 16.
        static let instanceSize = 24
        static let instanceAlignment = 28
        /// The size of all of it, counted from before the address, and how far before.
        static let size = 32
        static let addressPoint = 36
        static let descriptor = 40
        static let methods = 56
    }

    /// Words of the metadata, by their distance from its address in bytes.
    private subscript(offset: Int) -> UInt { start.load(fromByteOffset: offset, as: UInt.self) }

    /// What the compiler wrote down about the class; nil for one that was made while the program runs.
    var descriptor: UnsafeRawPointer? {
        start.load(fromByteOffset: Offset.descriptor, as: UnsafeRawPointer?.self)
    }

    /// Whether instances of the two classes are of the same size and alignment.
    package func hasStorage(of other: ClassMetadata) -> Bool {
        start.load(fromByteOffset: Offset.instanceSize, as: UInt32.self)
            == other.start.load(fromByteOffset: Offset.instanceSize, as: UInt32.self)
            && start.load(fromByteOffset: Offset.instanceAlignment, as: UInt16.self)
                == other.start.load(fromByteOffset: Offset.instanceAlignment, as: UInt16.self)
    }

    /// Whether the object is an instance of exactly this class, and says so in its first word.
    func describes(_ object: AnyObject) -> Bool {
        Unmanaged.passUnretained(object).toOpaque().load(as: UnsafeMutableRawPointer.self) == start
    }

    /// Makes the object an instance of this class.
    func adopt(_ object: AnyObject) {
        Self.replace(
            Unmanaged.passUnretained(object).toOpaque().assumingMemoryBound(to: UnsafeMutableRawPointer.self), start)
    }

    /// On its own so that whoever optimises the caller does not look in here, and takes raw pointers so that no references are
    /// counted. Not being optimised it must do next to nothing.
    @inline(never)
    @_optimize(none)
    private static func replace(
        _ header: UnsafeMutablePointer<UnsafeMutableRawPointer>, _ metadata: UnsafeMutableRawPointer
    ) {
        header.pointee = metadata
    }

    // MARK: Methods

    /// Where a method lies in the tables of a class and its subclasses.
    package struct Method: Hashable, Sendable {
        fileprivate let offset: Int
    }

    /// Where the table of methods ends.
    private var end: Int {
        Int(start.load(fromByteOffset: Offset.size, as: UInt32.self))
            - Int(start.load(fromByteOffset: Offset.addressPoint, as: UInt32.self))
    }

    /// The methods of the class that `overriding` overrides: what it does not share, while `plain`, which overrides nothing,
    /// does. Both are direct subclasses. Empty unless there are `count`.
    package func methods(
        overriddenBy overriding: ClassMetadata, butNotBy plain: ClassMetadata, count: Int
    ) -> [Method] {
        guard end > Offset.methods, end <= 1 << 16, end <= plain.end, end <= overriding.end else { return [] }
        let offsets = stride(from: Offset.methods, to: end, by: MemoryLayout<UInt>.size).filter { offset in
            self[offset] == plain[offset] && self[offset] != overriding[offset]
        }
        return offsets.count == count ? offsets.map(Method.init) : []
    }

    /// Whether the class has the same method as another, of which it is a subclass.
    package func shares(_ method: Method, with other: ClassMetadata) -> Bool {
        self[method.offset] == other[method.offset]
    }

    /// Replaces methods with those of another class. False, with nothing replaced, if memory forbids it.
    package func replace(_ methods: [Method], with other: ClassMetadata) -> Bool {
        guard let first = methods.map(\.offset).min(), let last = methods.map(\.offset).max(),
            makeWritable(first...last)
        else { return false }
        for method in methods {
            start.storeBytes(of: other[method.offset], toByteOffset: method.offset, as: UInt.self)
        }
        return true
    }

    /// Frees instances as those of the other class are freed, whose storage must be the same; else nothing is replaced.
    package func replaceDestroyer(with other: ClassMetadata) {
        guard hasStorage(of: other), self[Offset.destroyer] != 0, other[Offset.destroyer] != 0 else { return }
        _ = replace([Method(offset: Offset.destroyer)], with: other)
    }

    /// Metadata lies in data that may be written to; should it have been protected after loading, that is undone for the
    /// pages from the first entry to the last.
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
        // An object begins with its class and the count of references.
        return sizes == [24, 24, 25] && base.hasStorage(of: plain) && !base.hasStorage(of: below)
            && base.start.load(fromByteOffset: Offset.instanceAlignment, as: UInt16.self) == 7
            && below[Offset.superclass] == UInt(bitPattern: base.start)
            && 16...64 ~= base.start.load(fromByteOffset: Offset.addressPoint, as: UInt32.self)
            && base[Offset.destroyer] != 0 && base[Offset.descriptor] != below[Offset.descriptor]
            && base.methods(overriddenBy: below, butNotBy: plain, count: 1).count == 1
            && base.describes(MetadataProbe()) && below.describes(MetadataProbeBelow())
    }
}

/// Classes whose metadata is known: public to the optimiser, which would remove methods that nothing calls.
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
