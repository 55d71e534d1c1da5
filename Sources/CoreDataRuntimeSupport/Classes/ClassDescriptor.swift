#if !canImport(Darwin)
import CCoreDataRuntime

/// The compiler's descriptor of a top-level class.
///
/// Off Apple, the metadata of every class points to it. The runtime takes microseconds to produce a class's name, which is
/// needed for each class that a program fetches.
package struct ClassDescriptor {
    private let context: ContextDescriptor

    /// Reads a class's descriptor; returns nil for generic classes, for those nested in types or functions, and if shortcuts
    /// are off or descriptors do not have the known layout. Use `_typeName(_:qualified:)` then.
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

    /// The qualified name, `Module.Class`.
    package var name: String { context.parent.name + "." + context.name }
}

/// The compiler's descriptor of a type or a module.
struct ContextDescriptor: @unchecked Sendable {
    let address: UnsafeRawPointer

    init(_ address: UnsafeRawPointer) { self.address = address }

    /// Whether descriptors have the known layout.
    static var isSupported: Bool { MemoryAssumption.holds(CCoreDataRuntimeClassDescriptors, isAsDescribed) }

    private static func isAsDescribed() -> Bool {
        ClassDescriptor(reading: DescribedProbe.self)?.name == _typeName(DescribedProbe.self, qualified: true)
            && ClassMetadata(DescribedProbe.self)?.descriptor.flatMap { ContextDescriptor($0).type }
                == DescribedProbe.self
    }

    /// Whether it describes a class that is unique and not generic.
    var isPlainClass: Bool { address.load(as: UInt32.self) & 0xFF == 0x50 }

    var isModule: Bool { address.load(as: UInt32.self) & 0x1F == 0 }

    /// The descriptor of the enclosing type or module.
    var parent: ContextDescriptor {
        let place = address + 4
        let offset = Int(place.load(as: Int32.self))
        // An odd offset refers to a pointer to the descriptor.
        return ContextDescriptor(
            offset & 1 == 0 ? place + offset : (place + offset - 1).load(as: UnsafeRawPointer.self))
    }

    /// The name of a type or a module.
    var name: String {
        let place = address + 8
        return String(cString: (place + Int(place.load(as: Int32.self))).assumingMemoryBound(to: CChar.self))
    }

    /// The class, by its metadata accessor, if it is not generic.
    var type: AnyClass? {
        let place = address + 12
        let accessor = place + Int(place.load(as: Int32.self))
        return ccoredataruntime_metadata(accessor).map { unsafeBitCast($0, to: AnyClass.self) }
    }
}

/// A top-level class, for the check.
final class DescribedProbe {}
#endif
