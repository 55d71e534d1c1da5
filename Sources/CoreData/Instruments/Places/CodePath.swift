#if DEBUG && canImport(Runtime) && canImport(Glibc) && !COREDATA_WITHOUT_PLACES
// Brings glibc's `backtrace`, whose header is not part of the module Glibc.
internal import CoreFoundation
#endif

extension Instruments {
    /// The calls that led to an operation, as return addresses.
    ///
    /// Capturing one takes microseconds. Which lines of the program the addresses stand for is looked up when it is asked
    /// for, once for each address of the process. Two paths are equal if all their calls are; the same line that is reached
    /// by way of different callers gives different paths with equal ``place``s.
    ///
    /// There are places in debug builds on Linux with glibc, by toolchains with the module `Runtime`; see ``areKnown``.
    /// May be used on any thread.
    package struct CodePath: Hashable, Sendable {
        /// Return addresses, innermost first.
        package let addresses: [UInt]

        package init(addresses: [UInt]) { self.addresses = addresses }

        /// How many calls are captured at most.
        static let limit = 64

        /// Whether this build can tell places in the program's code.
        package static var areKnown: Bool { Symbolicator.isAvailable }

        /// Captures the calls the current thread is in; none where places are not known.
        ///
        /// Unwinds by the tables for exceptions, which C functions have as well: a chain of frame pointers ends, or leads
        /// astray, in libraries compiled without them.
        @inline(never)
        package static func capture() -> CodePath {
            #if DEBUG && canImport(Runtime) && canImport(Glibc) && !COREDATA_WITHOUT_PLACES
            let addresses = withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: limit) {
                buffer in
                buffer.initialize(repeating: nil)
                let count = Int(backtrace(buffer.baseAddress!, CInt(limit)))
                return buffer.prefix(max(count, 0)).compactMap { $0.map { UInt(bitPattern: $0) } }
            }
            return CodePath(addresses: addresses)
            #else
            return CodePath(addresses: [])
            #endif
        }
    }
}

extension Instruments.CodePath {
    /// All calls, innermost first, with those the compiler inlined. Each is looked up when it is reached.
    package var frames: some Sequence<CodeFrame> {
        Symbolicator.shared.names(of: addresses)
        return addresses.lazy.flatMap { Symbolicator.shared.frames(of: $0) }
    }

    /// The lines of the program that led to the operation, innermost first.
    ///
    /// Lines of this package, of packages the program depends on, and of generated files are left out, as is all that was
    /// compiled without debug information. Where only packages led to the operation, it is their lines. After an `await`,
    /// and in blocks on another queue, these are the lines since then.
    package var places: [Instruments.Place] { places(upTo: .max) }

    /// The first so many of ``places``. Lines after them are not looked up.
    package func places(upTo count: Int) -> [Instruments.Place] {
        var own: [Instruments.Place] = []
        var others: [Instruments.Place] = []
        for frame in frames {
            guard let place = frame.place else { continue }
            switch frame.origin {
            case .program:
                own.append(place)
                if own.count >= count { return own }
            case .dependency: if others.count < count { others.append(place) }
            case .framework, .library, .generated, .compiler: break
            }
        }
        return own.isEmpty ? others : own
    }

    /// The innermost line of the program.
    package var place: Instruments.Place? { places(upTo: 1).first }

    /// The lines that led to ``place``, innermost first.
    package var callers: [Instruments.Place] { Array(places.dropFirst()) }
}
