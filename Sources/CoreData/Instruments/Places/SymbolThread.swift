#if DEBUG && canImport(Runtime) && canImport(Glibc) && !COREDATA_WITHOUT_PLACES
import CoreDataRuntimeSupport
import Foundation

/// A thread that symbolicates addresses, one request after another.
final class SymbolThread: @unchecked Sendable {
    static let shared = SymbolThread()

    private let requests = Locked<[@Sendable () -> Void]>([])
    private let pending = DispatchSemaphore(value: 0)

    private init() {
        let thread = Thread { [unowned self] in
            while true {
                pending.wait()
                requests.withLock { $0.removeFirst() }()
            }
        }
        thread.name = "Core Data places"
        // Parsing debug information recurses deeply.
        thread.stackSize = 4 << 20
        thread.start()
    }

    /// Runs the body on the thread and waits for it.
    func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result {
        let done = DispatchSemaphore(value: 0)
        let result = Answer<Result>()
        requests.withLock {
            $0.append {
                result.value.withLock { $0 = body() }
                done.signal()
            }
        }
        pending.signal()
        done.wait()
        return result.value.withLock { $0! }
    }

    private final class Answer<Value>: Sendable {
        let value = Locked<Value?>(nil)
    }
}
#endif
