/// What a server is started with: `--port N`, `--store PATH`, `--books N`.
public struct ServerOptions: Sendable {
    public var port = 8080
    public var store = "Loans.sqlite"
    public var books = 10_000

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
