#if !canImport(Darwin)
import CCoreDataRuntime

/// The classes of the running program by unqualified name, as listed by the compiler in the program's images.
///
/// Off Apple, the runtime finds a class by its qualified name only. Reads memory only, no files.
package enum ProgramClasses {
    /// A top-level class that is neither generic nor private.
    package struct Found: @unchecked Sendable {
        fileprivate let descriptor: ContextDescriptor

        /// The module's name.
        package var module: String { descriptor.parent.name }

        /// The class itself.
        package var type: AnyClass? { descriptor.type }
    }

    private struct State: @unchecked Sendable {
        var images = 0
        /// The addresses of the type lists read so far.
        var read: Set<UInt> = []
        var classes: [String: [Found]] = [:]
    }

    private static let state = Locked(State())

    /// Returns the classes of that name in all modules, in no particular order.
    package static func all(named name: String) -> [Found] {
        state.withLock { state in
            let count = imageCount
            if state.images != count {
                state.images = count
                readImages(into: &state)
            }
            return state.classes[name] ?? []
        }
    }

    /// The number of images with Swift code, which increases when the program loads a library.
    package static var imageCount: Int {
        var count = 0
        withUnsafeMutablePointer(to: &count) { count in
            swift_enumerateAllMetadataSections(
                { _, count in
                    count!.assumingMemoryBound(to: Int.self).pointee += 1
                    return true
                }, count)
        }
        return count
    }

    private static func readImages(into state: inout State) {
        withUnsafeMutablePointer(to: &state) { state in
            swift_enumerateAllMetadataSections(
                { sections, state in
                    ProgramClasses.read(
                        sections.pointee.types, into: &state!.assumingMemoryBound(to: State.self).pointee)
                    return true
                }, state)
        }
    }

    /// Adds the classes of one image; none if descriptors do not have the known layout.
    private static func read(_ types: CCoreDataRuntimeRange, into state: inout State) {
        guard ContextDescriptor.isSupported, types.length > 0, state.read.insert(types.start).inserted,
            let start = UnsafeRawPointer(bitPattern: types.start)
        else { return }
        for offset in stride(from: 0, to: Int(types.length) & ~3, by: 4) {
            let place = start + offset
            let value = place.load(as: Int32.self)
            // The lowest bits determine whether the offset refers to a descriptor or to a pointer to one.
            var descriptor = place + Int(value & ~3)
            switch value & 3 {
            case 0: break
            case 1: descriptor = descriptor.load(as: UnsafeRawPointer.self)
            default: continue
            }
            let found = ContextDescriptor(descriptor)
            guard found.isPlainClass, found.parent.isModule else { continue }
            state.classes[found.name, default: []].append(Found(descriptor: found))
        }
    }
}
#endif
