import Foundation

/// Keyboard control of an import: Return pauses and resumes it, Ctrl-C cancels it.
final class Controls {
    private let sources: [any DispatchSourceProtocol]

    init(_ operation: ContactImport) {
        signal(SIGINT, SIG_IGN)
        let interrupt = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        interrupt.setEventHandler { operation.cancel() }
        var sources: [any DispatchSourceProtocol] = [interrupt]
        if isatty(STDIN_FILENO) == 1 {
            let keys = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .global())
            keys.setEventHandler {
                _ = FileHandle.standardInput.availableData
                operation.isPaused.toggle()
            }
            sources.append(keys)
        }
        self.sources = sources
        sources.forEach { $0.resume() }
    }

    /// Stops listening to the keyboard and restores the default action of SIGINT.
    func end() {
        sources.forEach { $0.cancel() }
        signal(SIGINT, SIG_DFL)
    }
}
