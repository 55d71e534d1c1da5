#if DEBUG && canImport(Runtime) && canImport(Glibc) && !COREDATA_WITHOUT_PLACES
// For glibc's `backtrace`. Its header is not part of the module Glibc.
internal import CoreFoundation
#endif

extension Instruments {
    /// The call stack of an operation, as return addresses.
    ///
    /// Capturing it takes microseconds. The addresses are symbolicated on demand, once for each address of the process. Two
    /// paths are equal if all their calls are; the same line reached through different callers gives different paths with equal
    /// ``place``s.
    ///
    /// Places are available in debug builds on Linux with glibc, by toolchains with the module `Runtime`; see ``areKnown``. May
    /// be used on any thread.
    package struct CodePath: Hashable, Sendable {
        /// The return addresses, innermost first.
        package let addresses: [UInt]

        package init(addresses: [UInt]) { self.addresses = addresses }

        /// The maximum number of calls that are captured.
        static let limit = 64

        /// True if this build can symbolicate places in the program's source.
        package static var areKnown: Bool { Symbolicator.isAvailable }

        /// Captures the call stack of the current thread; empty if places are not available.
        ///
        /// Unwinds by the exception tables, which C functions have too: a chain of frame pointers ends, or is wrong, in
        /// libraries compiled without them.
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
    /// All calls, innermost first, including inlined ones. Each is symbolicated when it is iterated.
    package var frames: some Sequence<CodeFrame> {
        Symbolicator.shared.names(of: addresses)
        return addresses.lazy.flatMap { Symbolicator.shared.frames(of: $0) }
    }

    /// The lines of the program in the call stack, innermost first.
    ///
    /// Lines of this package, of dependencies and of generated files are omitted, and so is code without debug information. If
    /// only packages are in the call stack, their lines are returned. After an `await`, and in blocks on another queue, the
    /// lines since then are returned.
    package var places: [Instruments.Place] { places(upTo: .max) }

    /// Returns the first ``places``, up to a count. Later lines are not symbolicated.
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

    /// The lines that called ``place``, innermost first.
    package var callers: [Instruments.Place] { Array(places.dropFirst()) }
}
