import AddressBookService
import Foundation
import Hummingbird
import MagicalRecord

/// Serves an address book over HTTP until SIGTERM or SIGINT, then answers the running requests and closes the store.
@main struct Server {
    static func main() async {
        do {
            if CommandLine.arguments.dropFirst().contains("--help") { return print(ServerOptions.help) }
            try await serve(try ServerOptions(CommandLine.arguments.dropFirst()))
        } catch let error as ServerOptions.Invalid {
            fail("\(error)\n\n\(ServerOptions.help)", status: 64)
        } catch {
            fail(describe(error), status: 1)
        }
    }

    private static func serve(_ options: ServerOptions) async throws {
        let addressBook = try AddressBook(store: try options.storeDescription())
        let metrics = Metrics()
        let databaseMetrics = DatabaseMetrics(metrics, system: options.isPostgreSQL ? "postgresql" : "sqlite")
        Instruments.add(databaseMetrics)
        let application = Application(
            router: addressBook.router(metrics: metrics),
            configuration: .init(address: .hostname(options.host, port: options.port)))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await addressBook.purgeHistory(keepingDays: options.historyDays) }
            try await application.runService()
            group.cancelAll()
        }
        Instruments.remove(databaseMetrics)
        try await addressBook.close()
    }

    private static func describe(_ error: any Error) -> String {
        if error is MagicalRecordError { return "\(error)" }
        let error = error as NSError
        return [error.localizedDescription, error.localizedFailureReason, error.localizedRecoverySuggestion]
            .compactMap(\.self).joined(separator: "\n")
    }

    private static func fail(_ message: String, status: Int32) -> Never {
        FileHandle.standardError.write(Data("AddressBookServer: \(message)\n".utf8))
        exit(status)
    }
}

extension AddressBook {
    /// Purges the history of more than some days ago, at once and then hourly, until the task is cancelled.
    fileprivate func purgeHistory(keepingDays days: Int) async {
        while !Task.isCancelled {
            do {
                try purgeHistory(before: Date(timeIntervalSinceNow: -86_400 * Double(days)))
            } catch {
                FileHandle.standardError.write(Data("History was not purged: \(error)\n".utf8))
            }
            try? await Task.sleep(for: .seconds(3_600))
        }
    }
}
