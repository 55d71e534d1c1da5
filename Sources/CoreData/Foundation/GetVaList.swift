import CoreDataRuntimeSupport
import Foundation

// A function that Foundation has on Apple's platforms only. To be removed once Swift's library has it everywhere.

/// Returns a C argument list, for `NSPredicate(format:arguments:)` and similar functions.
///
/// Without autorelease pools, a list stays valid until 1,024 others have been created. Use it immediately, or call
/// `withVaList(_:_:)`.
public func getVaList(_ args: [any CVarArg]) -> CVaListPointer { ArgumentLists.make(args) }

/// The argument lists that were returned last, kept valid.
private enum ArgumentLists {
    /// The words of a list, and the objects they point to.
    private final class Storage {
        /// The structure that `va_list` points to on x86-64: the offsets of the unused registers, and the address of the
        /// arguments in memory.
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
            // Arguments that are objects in C are retained as objects.
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

        /// The argument list. All arguments are in memory, as if the registers were used up.
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
