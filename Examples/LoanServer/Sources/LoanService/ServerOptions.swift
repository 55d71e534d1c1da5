/// The command-line options of a server: `--port N`, `--store PATH`, `--books N`.
public struct ServerOptions: Sendable {
    /// The TCP port to listen on.
    public var port = 8080
    /// The path of the SQLite store.
    public var store = "Loans.sqlite"
    /// The number of books that a new store is filled with.
    public var books = 10_000

    /// Parses the arguments. Prints unknown options and ignores them.
    public init(_ arguments: some Sequence<String>) {
        var arguments = arguments.makeIterator()
        while let name = arguments.next(), let value = arguments.next() {
            switch name {
            case "--port": port = Int(value) ?? port
            case "--store": store = value
            case "--books": books = Int(value) ?? books
            default: print("There is no option \(name).")
            }
        }
    }
}
