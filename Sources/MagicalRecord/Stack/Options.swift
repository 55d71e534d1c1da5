import CoreData

/// The program-wide options of the legacy functions.
struct Options {
    var autoCreatesModel = true
    var autoCreatesCoordinator = false
    #if DEBUG
    var deletesOnMismatch = true
    #else
    var deletesOnMismatch = false
    #endif
    var batchSize: UInt = 20

    private static let shared = Locked(Options())

    static var current: Options { shared.withLock { $0 } }

    static func change(_ body: (inout Options) -> Void) {
        shared.withLock(body)
    }
}
