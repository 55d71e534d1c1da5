/// The command-line options of the load test.
struct LoadOptions {
    /// The seconds for each number of clients. There is no default: the test ends.
    var seconds: Int
    var host = "127.0.0.1"
    var port = 8080
    /// The numbers of clients, one after the other.
    var clients = [1, 8, 64]
    /// The number of contacts that are created before the test.
    var contacts = 10_000

    static let help = """
        usage: AddressBookLoad --seconds N [--host ADDRESS] [--port N] [--clients 1,8,64] [--contacts N]

        Sends requests to a running AddressBookServer: 60 % one contact, 20 % a page of 20, 20 % saves of one contact.
        Each number of clients runs for N seconds, from 1 to 300. Changes the contacts 1,000,001 and following.
        """

    struct Invalid: Error, CustomStringConvertible {
        let description: String
    }

    init(_ arguments: some Sequence<String>) throws {
        var seconds: Int?
        var arguments = arguments.makeIterator()
        while let name = arguments.next() {
            guard let value = arguments.next() else { throw Invalid(description: "\(name) needs a value.") }
            switch name {
            case "--seconds": seconds = try Self.number(value, of: name, in: 1...300)
            case "--host": host = value
            case "--port": port = try Self.number(value, of: name, in: 1...65_535)
            case "--clients":
                clients = try value.split(separator: ",").map { try Self.number(String($0), of: name, in: 1...1_000) }
            case "--contacts": contacts = try Self.number(value, of: name, in: 20...1_000_000)
            default: throw Invalid(description: "There is no option \(name).")
            }
        }
        guard let seconds else { throw Invalid(description: "--seconds is missing: the test must end.") }
        self.seconds = seconds
    }

    private static func number(_ text: String, of name: String, in range: ClosedRange<Int>) throws -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw Invalid(
                description: "\(name) needs a number from \(range.lowerBound) to \(range.upperBound), not \(text).")
        }
        return number
    }
}
