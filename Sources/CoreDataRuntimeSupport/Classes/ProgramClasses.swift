#if !canImport(Darwin)
import CCoreDataRuntime

/// The classes of the running program by their names without a module, as the compiler listed them in the program's images.
///
/// Off Apple the runtime finds a class by its full name only. Reads memory alone: what lies on disk beside the program does
/// not matter.
package enum ProgramClasses {
    /// A class at the top of a module, neither generic nor private.
    package struct Found: @unchecked Sendable {
        fileprivate let descriptor: ContextDescriptor

        /// The module's name.
        package var module: String { descriptor.parent.name }

        /// The class itself.
        package var type: AnyClass? { descriptor.type }
    }

    private struct State: @unchecked Sendable {
        var images = 0
        /// Where the types of the images read so far are listed.
        var read: Set<UInt> = []
        var classes: [String: [Found]] = [:]
    }

    private static let state = Locked(State())

    /// The classes of that name, of each module that has one, in no particular order.
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

    /// How many images hold Swift code: grows when the program loads a library.
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

    /// Takes in the classes of one image; none where the compiler's descriptions do not lie as known.
    private static func read(_ types: CCoreDataRuntimeRange, into state: inout State) {
        guard ContextDescriptor.isSupported, types.length > 0, state.read.insert(types.start).inserted,
            let start = UnsafeRawPointer(bitPattern: types.start)
        else { return }
        for offset in stride(from: 0, to: Int(types.length) & ~3, by: 4) {
            let place = start + offset
            let value = place.load(as: Int32.self)
            // The lowest bits say whether the offset leads to a descriptor or to a pointer to one.
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
