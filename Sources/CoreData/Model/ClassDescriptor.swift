/// What the compiler wrote down about a class at the top of a module.
///
/// Off Apple, the metadata of every class points to it. Having the runtime write a class's name out takes microseconds, and
/// is asked for each class a program fetches.
struct ClassDescriptor {
    private let address: UnsafeRawPointer

    /// nil for generic classes, and for those inside of other types or of functions.
    init?(_ type: AnyClass) {
        guard Self.isReadable else { return nil }
        self.init(reading: type)
    }

    private init?(reading type: AnyClass) {
        let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        address = metadata.load(fromByteOffset: 40, as: UnsafeRawPointer.self)
        guard flags & 0xFF == Self.plainClass, module.load(as: UInt32.self) & 0x1F == Self.module else { return nil }
    }

    /// `Module.Class`
    var name: String { Self.name(module) + "." + Self.name(address) }

    /// The kind of a class, unique and not generic; and that of a module.
    private static let plainClass: UInt32 = 0x50
    private static let module: UInt32 = 0

    private var flags: UInt32 { address.load(as: UInt32.self) }

    /// What the class stands in.
    private var module: UnsafeRawPointer {
        let place = address + 4
        let offset = Int(place.load(as: Int32.self))
        // An odd offset leads to a pointer.
        return offset & 1 == 0 ? place + offset : (place + offset - 1).load(as: UnsafeRawPointer.self)
    }

    private static func name(_ descriptor: UnsafeRawPointer) -> String {
        let place = descriptor + 8
        return String(cString: (place + Int(place.load(as: Int32.self))).assumingMemoryBound(to: CChar.self))
    }

    /// Whether it is as described.
    private static let isReadable = ClassDescriptor(reading: NSManagedObject.self)?.name == "CoreData.NSManagedObject"
}
