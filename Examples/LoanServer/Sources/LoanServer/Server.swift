import Foundation
import Hummingbird
import LoanService
import MagicalRecord

/// `LoanServer [--port N] [--store PATH] [--books N]`: serves the store over HTTP. A store without books is filled with
/// generated ones first.
@main struct Server {
    static func main() async throws {
        let options = ServerOptions(CommandLine.arguments.dropFirst())
        let library = try Library(store: .sqlite(at: URL(fileURLWithPath: options.store)))
        try await library.fill(options.books)
        let application = Application(
            router: library.router(), configuration: .init(address: .hostname("127.0.0.1", port: options.port)))
        try await application.runService()
        try await library.close()
    }
}
