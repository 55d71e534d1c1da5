#if !canImport(Darwin)
import CCoreDataRuntime

/// What the compiler wrote down about a class at the top of a module.
///
/// Off Apple, the metadata of every class points to it. Having the runtime write a class's name out takes microseconds, and
/// is asked for each class a program fetches.
package struct ClassDescriptor {
    private let context: ContextDescriptor

    /// nil for generic classes, and for those inside of other types or of functions; and where shortcuts are not taken or
    /// descriptions do not lie as known. Then ask `_typeName(_:qualified:)`.
    package init?(_ type: AnyClass) {
        guard MemoryAssumption.allowsShortcuts, ContextDescriptor.isSupported else { return nil }
        self.init(reading: type)
    }

    fileprivate init?(reading type: AnyClass) {
        guard let descriptor = ClassMetadata(type)?.descriptor.map(ContextDescriptor.init), descriptor.isPlainClass,
            descriptor.parent.isModule
        else { return nil }
        context = descriptor
    }

    /// `Module.Class`
    package var name: String { context.parent.name + "." + context.name }
}

/// The compiler's description of a type or a module.
struct ContextDescriptor: @unchecked Sendable {
    let address: UnsafeRawPointer

    init(_ address: UnsafeRawPointer) { self.address = address }

    /// Whether descriptions lie as known here.
    static var isSupported: Bool { MemoryAssumption.holds(CCoreDataRuntimeClassDescriptors, isAsDescribed) }

    private static func isAsDescribed() -> Bool {
        ClassDescriptor(reading: DescribedProbe.self)?.name == _typeName(DescribedProbe.self, qualified: true)
            && ClassMetadata(DescribedProbe.self)?.descriptor.flatMap { ContextDescriptor($0).type }
                == DescribedProbe.self
    }

    /// Whether it is of a class, unique and not generic.
    var isPlainClass: Bool { address.load(as: UInt32.self) & 0xFF == 0x50 }

    var isModule: Bool { address.load(as: UInt32.self) & 0x1F == 0 }

    /// What the type stands in.
    var parent: ContextDescriptor {
        let place = address + 4
        let offset = Int(place.load(as: Int32.self))
        // An odd offset leads to a pointer.
        return ContextDescriptor(
            offset & 1 == 0 ? place + offset : (place + offset - 1).load(as: UnsafeRawPointer.self))
    }

    /// The name of a type or a module.
    var name: String {
        let place = address + 8
        return String(cString: (place + Int(place.load(as: Int32.self))).assumingMemoryBound(to: CChar.self))
    }

    /// The class, if it is not generic: asks the accessor of its metadata.
    var type: AnyClass? {
        let place = address + 12
        let accessor = place + Int(place.load(as: Int32.self))
        return ccoredataruntime_metadata(accessor).map { unsafeBitCast($0, to: AnyClass.self) }
    }
}

/// A class at the top of a module.
final class DescribedProbe {}
#endif
