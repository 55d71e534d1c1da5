#if !canImport(Darwin)
/// What the compiler wrote down about a class at the top of a module.
///
/// Off Apple, the metadata of every class points to it. Having the runtime write a class's name out takes microseconds, and
/// is asked for each class a program fetches.
package struct ClassDescriptor {
    private let address: UnsafeRawPointer

    /// nil for generic classes, and for those inside of other types or of functions.
    package init?(_ type: AnyClass) {
        guard Self.isReadable else { return nil }
        self.init(reading: type)
    }

    private init?(reading type: AnyClass) {
        let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        address = metadata.load(fromByteOffset: 40, as: UnsafeRawPointer.self)
        guard ContextDescriptor.isPlainClass(address),
            ContextDescriptor.isModule(ContextDescriptor.parent(of: address))
        else { return nil }
    }

    /// `Module.Class`
    package var name: String {
        ContextDescriptor.name(ContextDescriptor.parent(of: address)) + "." + ContextDescriptor.name(address)
    }

    /// Whether it is as described.
    private static let isReadable =
        ClassDescriptor(reading: DescribedProbe.self)?.name == _typeName(DescribedProbe.self, qualified: true)
}

/// The compiler's descriptions of types and modules, by address.
enum ContextDescriptor {
    /// Whether it is of a class, unique and not generic.
    static func isPlainClass(_ descriptor: UnsafeRawPointer) -> Bool {
        descriptor.load(as: UInt32.self) & 0xFF == 0x50
    }

    static func isModule(_ descriptor: UnsafeRawPointer) -> Bool { descriptor.load(as: UInt32.self) & 0x1F == 0 }

    /// What the type stands in.
    static func parent(of descriptor: UnsafeRawPointer) -> UnsafeRawPointer {
        let place = descriptor + 4
        let offset = Int(place.load(as: Int32.self))
        // An odd offset leads to a pointer.
        return offset & 1 == 0 ? place + offset : (place + offset - 1).load(as: UnsafeRawPointer.self)
    }

    /// The name of a type or a module.
    static func name(_ descriptor: UnsafeRawPointer) -> String {
        let place = descriptor + 8
        return String(cString: (place + Int(place.load(as: Int32.self))).assumingMemoryBound(to: CChar.self))
    }
}

/// A class at the top of a module.
final class DescribedProbe {}
#endif
