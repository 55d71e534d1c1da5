import Foundation
import Hummingbird
import LoanService
import MagicalRecord

/// `LoanServer [--port N] [--store PATH] [--books N]`: serves the store, filled with so many books if it has none.
@main struct Server {
    static func main() async throws {
        let options = Options(CommandLine.arguments.dropFirst())
        let library = try Library(store: .sqlite(at: URL(fileURLWithPath: options.store)))
        try await library.fill(options.books)
        let application = Application(
            router: library.router(), configuration: .init(address: .hostname("127.0.0.1", port: options.port)))
        try await application.runService()
        try await library.close()
    }
}

private struct Options {
    var port = 8080
    var store = "Loans.sqlite"
    var books = 10_000

    init(_ arguments: some Sequence<String>) {
        var arguments = arguments.makeIterator()
        while let name = arguments.next(), let value = arguments.next() {
            switch name {
            case "--port": port = Int(value) ?? port
            case "--store": store = value
            case "--books": books = Int(value) ?? books
            default: print("LoanServer does not know \(name).")
            }
        }
    }
}
