import Foundation
import Synchronization

/// The user's request to end the process, with Ctrl-C.
package enum Interruption {
    private static let flag = Atomic(false)

    /// True once SIGINT or SIGTERM has arrived.
    package static var isRequested: Bool { flag.load(ordering: .relaxed) }

    /// Makes SIGINT and SIGTERM set the flag; a second signal ends the process at once. Ignores SIGPIPE.
    package static func install() {
        flag.store(false, ordering: .relaxed)
        // A process that is started by a thread of Dispatch inherits that all signals are blocked.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGINT)
        sigaddset(&signals, SIGTERM)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        for number in [SIGINT, SIGTERM] {
            signal(number) { number in
                Interruption.flag.store(true, ordering: .relaxed)
                signal(number, SIG_DFL)
            }
        }
        signal(SIGPIPE, SIG_IGN)
    }
}

/// The operation was ended by the user.
package struct Interrupted: Error {}
