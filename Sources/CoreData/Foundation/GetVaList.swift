import CoreDataRuntimeSupport
import Foundation

// What Foundation has on Apple's platforms only. This goes when Swift's library has it everywhere.

/// A C argument list, for `NSPredicate(format:arguments:)` and its kin.
///
/// There are no autorelease pools off Apple: a list stays valid until 1,024 others have been made. Use it at once, or call
/// `withVaList(_:_:)`.
public func getVaList(_ args: [any CVarArg]) -> CVaListPointer { ArgumentLists.make(args) }

/// Argument lists that were given out, and what keeps them valid.
private enum ArgumentLists {
    /// The words of a list, with the objects they point to.
    private final class Storage {
        /// What `va_list` points to on x86-64: how much of the registers was used up, and where the rest lies.
        private struct Header {
            var integers: UInt32 = 48
            var reals: UInt32 = 176
            var rest: UnsafeMutableRawPointer
            var registers: UnsafeMutableRawPointer?
        }

        private let words: UnsafeMutablePointer<Int>
        private let header: UnsafeMutablePointer<Header>
        private let objects: [any CVarArg]

        init(_ arguments: [any CVarArg]) {
            // Whatever is an object to C is kept as one.
            objects = arguments.map { ($0 as? any _CVarArgObject)?._cVarArgObject ?? $0 }
            let encoded = objects.flatMap(\._cVarArgEncoding)
            words = .allocate(capacity: max(1, encoded.count))
            words.initialize(from: encoded, count: encoded.count)
            header = .allocate(capacity: 1)
            header.initialize(to: Header(rest: words))
        }

        deinit {
            words.deallocate()
            header.deallocate()
        }

        /// All arguments lie in memory, as if the registers had been used up.
        var list: CVaListPointer {
            #if arch(arm64)
            let nowhere: UnsafeMutableRawPointer? = nil
            return unsafeBitCast(
                (UnsafeMutableRawPointer(words) as UnsafeMutableRawPointer?, nowhere, nowhere, Int32(0), Int32(0)),
                to: CVaListPointer.self)
            #else
            return CVaListPointer(_fromUnsafeMutablePointer: header)
            #endif
        }
    }

    private struct Recent: @unchecked Sendable {
        var lists: [Storage] = []
        var next = 0
    }

    private static let recent = Locked(Recent())
    private static let limit = 1024

    static func make(_ arguments: [any CVarArg]) -> CVaListPointer {
        nonisolated(unsafe) let storage = Storage(arguments)
        recent.withLock { recent in
            if recent.lists.count < limit {
                recent.lists.append(storage)
            } else {
                recent.lists[recent.next] = storage
                recent.next = (recent.next + 1) % limit
            }
        }
        return storage.list
    }
}
