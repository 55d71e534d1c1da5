import InMemoryTracing
import Logging
import Synchronization
import Tracing

/// A log handler that collects entries in memory, one line each, with the metadata of the trace.
final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    var logger: Logger {
        Logger(label: "test") { _ in
            Handler(
                lines: self,
                metadataProvider: Logger.MetadataProvider {
                    ServiceContext.current?.inMemorySpanContext.map { ["trace": "\($0.traceID)"] } ?? [:]
                })
        }
    }

    fileprivate func add(_ line: String) { lines.withLock { $0.append(line) } }

    private struct Handler: LogHandler {
        let lines: Lines
        var metadataProvider: Logger.MetadataProvider?
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        init(lines: Lines, metadataProvider: Logger.MetadataProvider) {
            (self.lines, self.metadataProvider) = (lines, metadataProvider)
        }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            var all = metadataProvider?.get() ?? [:]
            all.merge(event.metadata ?? [:]) { $1 }
            let fields = all.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }
            lines.add(([event.message.description] + fields).joined(separator: " "))
        }
    }
}
